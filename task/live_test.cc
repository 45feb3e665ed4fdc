// Live equals loaded: the runner's state at each record is what a fresh replay
// of the log up to that record says.
#include <signal.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "relay/log_reader.h"
#include "task/load_testing.h"
#include "task/replay.h"
#include "task/runner_testing.h"
#include "task/state_testing.h"

namespace troika {
namespace {

// Compares the states of a replay with those that were seen live.
class ComparingSink : public ReplaySink {
 public:
  ComparingSink(Replay* replay, MessageSink sink,
                const std::map<int64_t, TaskState>& live)
      : ReplaySink(replay, sink), replay_(*replay), live_(live) {}

  void OnRecord(const relay::LogRecord& record) override {
    ReplaySink::OnRecord(record);
    const auto seen = live_.find(record.number);
    if (seen == live_.end()) {
      missed_.push_back(record.number);
      return;
    }
    EXPECT_EQ(seen->second, replay_.state())
        << "at record " << record.number << " live:\n"
        << StateText(seen->second) << "loaded:\n"
        << StateText(replay_.state());
    ++compared_;
  }

  int compared() const { return compared_; }
  const std::vector<int64_t>& missed() const { return missed_; }

 private:
  const Replay& replay_;
  const std::map<int64_t, TaskState>& live_;
  std::vector<int64_t> missed_;
  int compared_ = 0;
};

void ExpectLoadedAsLive(const TestTask& task, TestTask& any) {
  auto reader = relay::LogReader::Open(any.runner().folder().fd.get());
  ASSERT_TRUE(reader.ok());
  Replay replay;
  ComparingSink sink(
      &replay, [](Message&&) {}, task.states());
  ASSERT_TRUE(reader->Read(sink).ok());
  EXPECT_THAT(sink.missed(), ::testing::IsEmpty());
  EXPECT_GT(sink.compared(), 5);
}

struct Kind {
  Harness harness;
  std::optional<Wire> wire = std::nullopt;
};

class LiveTest : public ::testing::TestWithParam<Kind> {
 protected:
  TestTask::Options Script(std::string script) {
    TestTask::Options options = {.harness = GetParam().harness,
                                 .script = std::move(script)};
    options.request.options.wire = GetParam().wire;
    options.request.options.skip_git_check = GetParam().wire.has_value();
    return options;
  }

  TestHome home_;
};

INSTANTIATE_TEST_SUITE_P(
    All, LiveTest,
    ::testing::Values(Kind{Harness::kCodex},
                      Kind{Harness::kCodex, Wire::kAppServer},
                      Kind{Harness::kClaude}, Kind{Harness::kGemini}),
    [](const auto& info) {
      return absl::StrCat(HarnessId(info.param.harness),
                          info.param.wire ? "_app_server" : "");
    });

TEST_P(LiveTest, OverTurnsInterruptsDeadlinesAndRestarts) {
  TestTask::Options options = Script(
      "== turn 1\nsay One.\nrun ls => a\nusage 10 2 3\nok\n"
      "== turn 2\nthink Hm.\nsay Two.\nstart-run sleep 9\nhang\n"
      "== turn 3\nstderr odd\nsay Three.\nhang\n"
      "== turn 4\ntodo [x] a | [ ] b\nsay Four.\nok\n"
      "== resume\nsay More.\nok\n");
  options.request.timeouts.idle = absl::Minutes(1);
  auto first = std::make_unique<TestTask>(&home_, std::move(options));
  ASSERT_TRUE(first->created().ok()) << first->created();
  const std::string id = first->runner().folder().id;
  ASSERT_TRUE(first->UntilEnd());
  ASSERT_TRUE(first->runner().Input({.prompt = "second"}).ok());
  ASSERT_TRUE(first->Until([&] { return first->All<ToolUse>().size() == 2; }));
  // Another runner in its place, in the middle of the turn.
  ExpectLoadedAsLive(*first, *first);
  first.reset();
  TestTask second(&home_, id);
  ASSERT_TRUE(second.Until([&] { return second.All<ToolUse>().size() == 2; }));
  ASSERT_TRUE(second.runner().Interrupt("user", "enough").ok());
  ASSERT_TRUE(second.UntilEnd());
  EXPECT_EQ(second.state().status, TaskStatus::kInterrupted);
  ASSERT_TRUE(second.runner().Input({.prompt = "third"}).ok());
  ASSERT_TRUE(second.UntilStatus(TaskStatus::kRunning));
  second.clock().Advance(absl::Seconds(70));
  ASSERT_TRUE(second.UntilEnd());
  EXPECT_EQ(second.state().error, "the idle deadline of 1m passed (timeout)");
  second.clock().Advance(-absl::Seconds(70));
  ASSERT_TRUE(second.runner().Input({.prompt = "fourth"}).ok());
  ASSERT_TRUE(second.UntilEnd());
  EXPECT_EQ(second.state().status, TaskStatus::kDone) << second.state().error;
  ExpectLoadedAsLive(second, second);

  std::vector<Message> loaded;
  const auto state = Load(second.runner().folder(), [&](Message&& message) {
    loaded.push_back(std::move(message));
  });
  ASSERT_TRUE(state.ok());
  EXPECT_EQ(*state, second.state());
  EXPECT_EQ(loaded.size(), second.messages().size());
}

TEST_P(LiveTest, WhereTheRelayIsLost) {
  TestTask task(&home_, Script("say One.\nstart-run sleep 9\nhang"));
  ASSERT_TRUE(task.Until([&] { return task.All<ToolUse>().size() == 1; }));
  kill(relay::RelayProcess(task.runner().folder().path, "troika-relay"),
       SIGKILL);
  ASSERT_TRUE(task.UntilRest());
  EXPECT_EQ(task.state().status, TaskStatus::kFailed);
  EXPECT_THAT(task.state().error, ::testing::HasSubstr("relay"));
  EXPECT_EQ(task.All<ToolResult>().size(), 1u);
  EXPECT_TRUE(relay::NoProcessesWith(home_.path()));
  ExpectLoadedAsLive(task, task);
}

TEST_P(LiveTest, WhereTheGuardIsKilled) {
  TestTask task(&home_, Script("say One.\nstart-run sleep 9\nhang"));
  ASSERT_TRUE(task.Until([&] { return task.All<ToolUse>().size() == 1; }));
  kill(relay::RelayProcess(task.runner().folder().path, "troika-guard"),
       SIGKILL);
  ASSERT_TRUE(task.UntilRest());
  EXPECT_EQ(task.state().status, TaskStatus::kFailed);
  EXPECT_THAT(task.state().error, ::testing::HasSubstr("guard"));
  EXPECT_EQ(task.All<ToolResult>().size(), 1u);
  EXPECT_TRUE(relay::NoProcessesWith(home_.path()));
  ExpectLoadedAsLive(task, task);
}

TEST_P(LiveTest, WhereTheFolderIsRemoved) {
  TestTask task(&home_, Script("say One.\nhang"));
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kRunning));
  std::filesystem::remove_all(task.runner().folder().path);
  EXPECT_FALSE(task.UntilRest());
  EXPECT_THAT(task.advanced().message(), ::testing::HasSubstr("removed"));
  EXPECT_TRUE(relay::NoProcessesWith(home_.path()));
}

}  // namespace
}  // namespace troika
