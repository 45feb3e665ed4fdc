#include "task/import.h"

#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "relay/log_reader.h"
#include "task/load_testing.h"
#include "task/runner_testing.h"
#include "testing/files.h"

namespace troika {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Puts the lines of stdout together again.
class StdoutSink : public relay::LogSink {
 public:
  void OnRecord(const relay::LogRecord& record) override {
    if (record.stream != relay::Stream::kStdout) return;
    absl::StrAppend(&bytes, record.payload,
                    record.end == relay::LineEnd::kNewline ? "\n" : "");
  }
  void OnDamage(const relay::Damage&) override { ADD_FAILURE(); }

  std::string bytes;
};

class ImportTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::string> Import(Harness harness, const std::string& path) {
    return ImportSession(
        home_.home(),
        {.harness = harness,
         .session = {.id = "s", .cwd = "/w", .first_prompt = "fix it\nnow"},
         .path = path},
        Environment(), &clock_);
  }
  TaskState LoadState(const std::string& id) {
    messages_.clear();
    const auto folder = home_.home().OpenTask(id);
    const auto state =
        Load(*folder, [&](Message&& m) { messages_.push_back(std::move(m)); });
    EXPECT_TRUE(state.ok()) << state.status();
    return *state;
  }
  std::string LoggedLines(const std::string& id) {
    StdoutSink sink;
    const auto folder = home_.home().OpenTask(id);
    auto reader = relay::LogReader::Open(folder->fd.get());
    while (*reader->Read(sink, 1 << 20) > 0) {
    }
    return sink.bytes;
  }

  TestHome home_;
  TempFolder folder_;
  SystemClock clock_;
  std::vector<Message> messages_;
};

constexpr absl::string_view kRollout =
    R"({"type":"session_meta","payload":{"id":"s","cwd":"/w"}}
{"type":"event_msg","payload":{"type":"user_message","message":"fix it"}}
{"type":"event_msg","payload":{"type":"agent_message","message":"Done."}}
)";

TEST_F(ImportTest, HasTheFilesLinesAndHasEnded) {
  folder_.Write("r.jsonl", kRollout);
  const auto id = Import(Harness::kCodex, folder_.Path("r.jsonl"));
  ASSERT_TRUE(id.ok()) << id.status();
  const TaskState state = LoadState(*id);
  EXPECT_EQ(state.status, TaskStatus::kDone);
  EXPECT_EQ(state.title, "fix it");
  EXPECT_EQ(state.session_id, "s");
  EXPECT_EQ(state.turns, 1);
  EXPECT_EQ(state.imported_from, folder_.Path("r.jsonl"));
  EXPECT_FALSE(state.process_alive);
  EXPECT_EQ(state.result->text, "Done.");
  EXPECT_EQ(LoggedLines(*id), kRollout);
}

TEST_F(ImportTest, KeepsEveryByteOfOddLines) {
  std::string text = absl::StrCat(kRollout, "\r\n\n", std::string(3 << 20, 'x'),
                                  "\n", std::string("a\0b\xff", 4), "\nhalf");
  folder_.Write("r.jsonl", text);
  const auto id = Import(Harness::kCodex, folder_.Path("r.jsonl"));
  ASSERT_TRUE(id.ok()) << id.status();
  EXPECT_EQ(LoggedLines(*id), text);
  EXPECT_EQ(LoadState(*id).result->text, "Done.");
}

TEST_F(ImportTest, AnObjectBecomesOneLine) {
  folder_.Write("s.json", R"({"sessionId":"s",
    "messages":[{"type":"user","content":"hi"},
                {"type":"gemini","content":"Hello."}]}
)");
  const auto id = Import(Harness::kGemini, folder_.Path("s.json"));
  ASSERT_TRUE(id.ok()) << id.status();
  EXPECT_EQ(LoadState(*id).result->text, "Hello.");
}

TEST_F(ImportTest, AnEmptyFileIsATaskThatFailed) {
  folder_.Write("r.jsonl", "");
  const auto id = Import(Harness::kClaude, folder_.Path("r.jsonl"));
  ASSERT_TRUE(id.ok()) << id.status();
  const TaskState state = LoadState(*id);
  EXPECT_EQ(state.status, TaskStatus::kFailed);
  EXPECT_THAT(state.error, HasSubstr("ended after 0 lines"));
}

TEST_F(ImportTest, ErrorsLeaveNothingBehind) {
  ASSERT_EQ(mkfifo(folder_.Path("pipe.jsonl").c_str(), 0600), 0);
  EXPECT_TRUE(absl::IsInvalidArgument(
      Import(Harness::kCodex, folder_.Path("pipe.jsonl")).status()));
  EXPECT_TRUE(absl::IsNotFound(
      Import(Harness::kCodex, folder_.Path("none.jsonl")).status()));
  folder_.Write("huge.jsonl", "");
  std::filesystem::resize_file(folder_.Path("huge.jsonl"), kMaxImportBytes + 1);
  EXPECT_THAT(
      Import(Harness::kCodex, folder_.Path("huge.jsonl")).status().message(),
      HasSubstr("over the limit of 1073741824"));
  folder_.Write("big.json", "");
  std::filesystem::resize_file(folder_.Path("big.json"), kMaxLineBytes + 1);
  EXPECT_FALSE(Import(Harness::kGemini, folder_.Path("big.json")).ok());
  EXPECT_THAT(home_.home().TaskIds(), ElementsAre());
}

// A follower says in such a log that the task is lost.
TEST_F(ImportTest, AnImportThatWasCutHasNotEnded) {
  folder_.Write("r.jsonl", kRollout);
  const auto id = Import(Harness::kCodex, folder_.Path("r.jsonl"));
  ASSERT_TRUE(id.ok()) << id.status();
  const std::string log = home_.home().TaskPath(*id) + "/log.v1";
  const auto size = std::filesystem::file_size(log);
  std::filesystem::resize_file(log, size - 20);
  EXPECT_TRUE(LoadState(*id).process_alive);
}

}  // namespace
}  // namespace troika
