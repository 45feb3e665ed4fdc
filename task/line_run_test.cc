// Batches of lines that are no messages.
#include "task/line_run.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "agent/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "task/replay.h"
#include "task/testing.h"

namespace troika {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using relay::Stream;

std::string Lines(absl::string_view line, int count) {
  std::string text(line);
  for (int i = 1; i < count; ++i) absl::StrAppend(&text, "\n", line);
  return text;
}

// The messages that a batch brings to a process of Codex, after record 3.
std::vector<Message> RunBatch(Stream stream, absl::string_view text) {
  LogMaker log;
  log.Begin("codex").Spawn(1, 1);
  const size_t before = log.entries().size();
  log.Batch(stream, text);
  Replay replay;
  RunLog(replay, log, before);
  std::vector<Message> messages;
  for (size_t i = before; i < log.entries().size(); ++i) {
    Feed(replay, log.entries()[i],
         [&](Message&& m) { messages.push_back(std::move(m)); });
  }
  return messages;
}

TEST(LineRunTest, ManyLinesAreOneMessage) {
  for (const absl::string_view line : {"y", "{", "5", "[]", "\xff"}) {
    const std::string text = Lines(line, 1000);
    const std::vector<Message> messages = RunBatch(Stream::kStdout, text);
    ASSERT_THAT(messages, SizeIs(1)) << line;
    const Raw& raw = std::get<Raw>(messages[0].payload);
    EXPECT_EQ(raw.type, "stdout");
    EXPECT_EQ(raw.line, text);
    EXPECT_EQ(raw.lines, 1000);
    EXPECT_EQ(raw.first_record, 4);
    EXPECT_EQ(raw.size, static_cast<int64_t>(text.size()));
    EXPECT_EQ(messages[0].id, (EventId{1003, 0}));
  }
}

TEST(LineRunTest, StderrToo) {
  const std::string text = Lines("boom", 20);
  const std::vector<Message> messages = RunBatch(Stream::kStderr, text);
  ASSERT_THAT(messages, SizeIs(1));
  const Raw& raw = std::get<Raw>(messages[0].payload);
  EXPECT_EQ(raw.type, "stderr");
  EXPECT_EQ(raw.line, text);
  EXPECT_EQ(raw.reason, "");
}

TEST(LineRunTest, FewLinesHaveMessagesOfTheirOwn) {
  const std::vector<Message> messages = RunBatch(
      Stream::kStdout, Lines("y", static_cast<int>(LineRun::kMinLines) - 1));
  ASSERT_THAT(messages, SizeIs(LineRun::kMinLines - 1));
  for (size_t i = 0; i < messages.size(); ++i) {
    EXPECT_EQ(messages[i].id, (EventId{static_cast<int64_t>(i) + 4, 0}));
    EXPECT_EQ(std::get<ParseError>(messages[i].payload).snippet, "y");
  }
}

TEST(LineRunTest, LinesOfTheProtocolStayOneMessageEach) {
  const std::string noise = Lines("y", 10);
  const std::vector<Message> messages = RunBatch(
      Stream::kStdout, absl::StrCat(noise, "\n", kThread, "\n", kTurnStarted,
                                    "\n", noise, "\n", kAnswer));
  ASSERT_THAT(messages, SizeIs(5));
  EXPECT_EQ(std::get<Raw>(messages[0].payload).lines, 10);
  EXPECT_EQ(messages[0].id, (EventId{13, 0}));
  EXPECT_EQ(std::get<Init>(messages[1].payload).session_id, "th1");
  EXPECT_EQ(messages[1].id, (EventId{14, 0}));
  EXPECT_EQ(messages[2].id, (EventId{15, 0}));
  EXPECT_EQ(std::get<Raw>(messages[3].payload).first_record, 16);
  EXPECT_EQ(messages[3].id, (EventId{25, 0}));
  EXPECT_EQ(std::get<Text>(messages[4].payload).text, "hello");
  EXPECT_EQ(messages[4].id, (EventId{26, 0}));
}

TEST(LineRunTest, BlankLinesStayWithinARunAndGiveNone) {
  EXPECT_THAT(RunBatch(Stream::kStdout, Lines("", 100)), IsEmpty());
  EXPECT_THAT(RunBatch(Stream::kStderr, Lines(" ", 100)), IsEmpty());
  const std::string text = absl::StrCat(Lines("y", 5), "\n\n", Lines("z", 5));
  const std::vector<Message> messages =
      RunBatch(Stream::kStdout, absl::StrCat("\n\n", text, "\n\n"));
  ASSERT_THAT(messages, SizeIs(1));
  const Raw& raw = std::get<Raw>(messages[0].payload);
  EXPECT_EQ(raw.line, absl::StrCat(text, "\n\n"));
  EXPECT_EQ(raw.lines, 13);
  EXPECT_EQ(raw.first_record, 6);
  EXPECT_EQ(messages[0].id.record, 18);
}

TEST(LineRunTest, BatchesAreNotPutTogether) {
  LogMaker log;
  log.Begin("codex").Spawn(1, 1);
  for (int i = 0; i < 3; ++i) {
    log.Batch(Stream::kStdout, Lines("y", 10));
    log.Batch(Stream::kStderr, Lines("e", 10));
  }
  Replay replay;
  EXPECT_THAT(Payloads<Raw>(RunLog(replay, log)), SizeIs(6));
}

TEST(LineRunTest, HintsComeFromBatchesOfStderr) {
  LogMaker log;
  log.Begin("codex").Spawn(1, 1);
  log.Batch(Stream::kStderr,
            absl::StrCat(Lines("noise", 20), "\nwaiting for network"));
  log.Note(notes::Exited{.code = 1});
  Replay replay;
  const Result result = LastResult(RunLog(replay, log));
  EXPECT_THAT(result.error, HasSubstr("waiting for network"));
  EXPECT_THAT(result.hint, HasSubstr("network"));
}

TEST(LineRunTest, OutputOfNoProcessIsPutTogetherToo) {
  LogMaker log;
  log.Batch(Stream::kStdout, Lines("y", 50));
  Replay replay;
  const std::vector<Message> messages = RunLog(replay, log);
  ASSERT_THAT(messages, SizeIs(1));
  EXPECT_THAT(std::get<Raw>(messages[0].payload).reason,
              HasSubstr("no process"));
}

}  // namespace
}  // namespace troika
