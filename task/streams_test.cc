// Whole conversations: the recorded streams as logs.

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "agent/harness.h"
#include "agent/testing.h"
#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "task/state_testing.h"
#include "task/testing.h"
#include "testing/files.h"

namespace troika {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr size_t kMaxPrefixes = 150;

struct Recording {
  std::string path;
  Harness harness;
};

// What agents printed; transcripts of both sides are not among them.
std::vector<Recording> Recordings() {
  std::vector<Recording> found;
  for (const Harness harness :
       {Harness::kCodex, Harness::kClaude, Harness::kGemini}) {
    const std::string folder = absl::StrCat("testdata/", HarnessId(harness));
    for (const auto& file :
         std::filesystem::recursive_directory_iterator(folder)) {
      const std::string path = file.path().string();
      if (absl::EndsWith(path, ".jsonl") &&
          !absl::EndsWith(path, ".transcript.jsonl")) {
        found.push_back({path, harness});
      }
    }
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  return found;
}

// Cuts what an agent prints into pieces of up to `size` bytes.
void AddInPieces(absl::string_view stream, size_t size, LogMaker* log) {
  for (absl::string_view line :
       absl::StrSplit(stream, '\n', absl::SkipEmpty())) {
    for (; line.size() > size; line.remove_prefix(size)) {
      log->Add(relay::Stream::kStdout, relay::LineEnd::kContinued,
               line.substr(0, size));
    }
    log->Stdout(line);
  }
}

class StreamsTest : public testing::TestWithParam<Recording> {
 protected:
  std::string stream() const { return ReadWhole(GetParam().path); }
  absl::string_view harness() const { return HarnessId(GetParam().harness); }
};

TEST_P(StreamsTest, KeepsTheRulesAndEnds) {
  LogMaker log;
  log.Begin(harness()).Spawn(1, 1).StdoutLines(stream());
  log.Note(notes::Exited{.code = 0});
  Replay replay;
  const std::vector<Message> messages = RunLog(replay, log);
  EXPECT_EQ(BrokenRules(messages), "");
  const Result last = LastResult(messages);
  EXPECT_EQ(StatusOf(replay), last.is_error ? "failed" : "done");
  EXPECT_EQ(replay.state().error, last.error);
  EXPECT_FALSE(replay.state().process_alive);
  EXPECT_THAT(replay.outbox(), SizeIs(0));
}

TEST_P(StreamsTest, EachPrefixLoadsAsItWasLive) {
  LogMaker log;
  log.Begin(harness()).Spawn(1, 1).StdoutLines(stream()).Damage();
  log.Note(notes::Interrupt{.by = "user"}).Stderr("late");
  log.Note(notes::Exited{.code = 1}).Note(notes::Turn{.turn = 2});
  Replay live;
  const size_t count = log.entries().size();
  const size_t stride = 1 + count / kMaxPrefixes;
  for (size_t n = 0; n < count; ++n) {
    if (n % stride == 0) {
      Replay loaded;
      RunLog(loaded, log, n);
      ASSERT_EQ(StateText(loaded.state()), StateText(live.state()));
      ASSERT_EQ(loaded.state(), live.state());
      ASSERT_EQ(loaded.outbox(), live.outbox());
    }
    Feed(live, log.entries()[n], [](Message&&) {});
  }
}

TEST_P(StreamsTest, PiecesOfLinesMakeNoDifference) {
  LogMaker whole;
  whole.Begin(harness()).Spawn(1, 1).StdoutLines(stream());
  Replay expected;
  const std::vector<Message> messages = RunLog(expected, whole);
  for (const size_t size : {size_t{7}, size_t{1000}}) {
    LogMaker pieces;
    pieces.Begin(harness()).Spawn(1, 1);
    AddInPieces(stream(), size, &pieces);
    Replay replay;
    const std::vector<Message> joined = RunLog(replay, pieces);
    ASSERT_EQ(joined.size(), messages.size());
    for (size_t i = 0; i < joined.size(); ++i) {
      ASSERT_EQ(joined[i].payload.index(), messages[i].payload.index());
    }
    EXPECT_EQ(StatusOf(replay), StatusOf(expected));
    EXPECT_EQ(replay.state().result, expected.state().result);
    EXPECT_EQ(replay.state().usage, expected.state().usage);
  }
}

std::string TestName(const testing::TestParamInfo<Recording>& info) {
  return absl::StrReplaceAll(info.param.path,
                             {{"/", "_"}, {".", "_"}, {"-", "_"}});
}

INSTANTIATE_TEST_SUITE_P(All, StreamsTest, testing::ValuesIn(Recordings()),
                         TestName);

// A recorded conversation of both sides, with what status each record led to,
// repetitions left out.
std::vector<std::string> Statuses(const std::string& name, Replay* replay) {
  LogMaker log;
  log.Begin("claude").Spawn(1, 1);
  const std::string transcript =
      ReadWhole(absl::StrCat("testdata/claude/", name, ".transcript.jsonl"));
  json::Parser parser;
  for (const absl::string_view line :
       absl::StrSplit(transcript, '\n', absl::SkipEmpty())) {
    const absl::StatusOr<json::Value> entry = parser.Parse(line);
    if (!entry.ok()) continue;
    const std::string text = entry->Get("msg").ToJson();
    if (entry->Get("dir").StringOr("") == "c2s") {
      log.Stdin(text);
    } else {
      log.Stdout(text);
    }
  }
  log.Note(notes::StdinClosed{}).Note(notes::Exited{.code = 0});
  std::vector<std::string> statuses;
  for (const LogMaker::Entry& entry : log.entries()) {
    Feed(*replay, entry, [](Message&&) {});
    if (statuses.empty() || statuses.back() != StatusOf(*replay)) {
      statuses.push_back(StatusOf(*replay));
    }
  }
  return statuses;
}

TEST(ConversationsTest, ApprovalOfClaude) {
  Replay replay;
  EXPECT_THAT(Statuses("perm_allow", &replay),
              ElementsAre("queued", "starting", "running", "awaiting_approval",
                          "running", "idle", "done"));
}

TEST(ConversationsTest, QuestionOfClaude) {
  Replay replay;
  EXPECT_THAT(Statuses("perm_ask_user_question", &replay),
              ElementsAre("queued", "starting", "running", "awaiting_answer",
                          "running", "idle", "done"));
}

TEST(ConversationsTest, FollowUpOfClaude) {
  Replay replay;
  EXPECT_THAT(Statuses("stdin_followup", &replay),
              ElementsAre("queued", "starting", "running", "idle", "running",
                          "idle", "done"));
}

// The three processes of a Codex and a Gemini conversation.
TEST(ConversationsTest, ResumedByNewProcesses) {
  const std::pair<absl::string_view, std::vector<std::string>> conversations[] =
      {{"codex", {"resume_1_first", "resume_2_followup"}},
       {"gemini", {"resume_1_first", "resume_2_latest", "resume_3_by_id"}},
       {"claude", {"resume_1_first", "resume_2_followup"}}};
  for (const auto& [harness, names] : conversations) {
    LogMaker log;
    log.Begin(harness);
    int turn = 1;
    for (const std::string& name : names) {
      if (turn > 1) log.Note(notes::Turn{.turn = turn, .prompt = "more"});
      log.Spawn(turn, turn)
          .StdoutLines(ReadWhole(
              absl::StrCat("testdata/", harness, "/", name, ".jsonl")));
      log.Note(notes::Exited{.code = 0});
      ++turn;
    }
    Replay replay;
    const std::vector<Message> messages = RunLog(replay, log);
    EXPECT_EQ(BrokenRules(messages), "");
    EXPECT_EQ(StatusOf(replay), "done") << harness;
    EXPECT_EQ(replay.state().turns, static_cast<int>(names.size()));
    EXPECT_THAT(Payloads<Result>(messages), SizeIs(names.size()));
    TokenCounts sum;
    for (const Result& result : Payloads<Result>(messages)) {
      if (result.usage.turn) sum += *result.usage.turn;
    }
    EXPECT_EQ(replay.state().usage, sum) << harness;
  }
}

}  // namespace
}  // namespace troika
