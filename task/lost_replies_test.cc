// What we write to an agent may get lost. Then its turn must not hang: the task
// ends, and says why. On the fake CLIs, through the real relay.
#include <map>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/launch/wire.h"
#include "agent/registry.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "relay/testing.h"
#include "task/runner.h"
#include "task/runner_testing.h"

namespace troika {
namespace {

using ::testing::HasSubstr;

// A wire whose agents hear more than one line.
struct Wired {
  Harness harness;
  Wire wire;
  // A turn in which the agent asks everything that it can ask, and a thing that
  // we don't know.
  absl::string_view turn;
  // Lines that the agent hears in it.
  int lines;
  // Lines that the agent can do without.
  std::vector<int> needless;
};

const Wired kWires[] = {
    // The prompt, two answers, and a refusal.
    {Harness::kClaude,
     Wire::kStreamJson,
     "say One.\n"
     "ask Bash {\"command\":\"make\"}\n"
     "question Which? | Red | Blue\n"
     "print {\"type\":\"control_request\",\"request_id\":\"x\","
     "\"request\":{\"subtype\":\"new_thing\"}}\n"
     "expect Unsupported request: new_thing\n"
     "say Done.\nok",
     4,
     {}},
    // initialize, initialized, thread/start, model/list, turn/start, a steer,
    // two answers, and a refusal.
    {Harness::kCodex,
     Wire::kAppServer,
     "say One.\n"
     "expect to the left\n"
     "ask Bash {\"command\":\"make\"}\n"
     "question Which? | Red | Blue\n"
     "print {\"id\":\"x\",\"method\":\"new/thing\",\"params\":{}}\n"
     "expect Troika has no answer to it\n"
     "say Done.\nok",
     9,
     {2, 4}},
    // initialize, session/new, session/prompt, an answer, and a refusal.
    {Harness::kGemini,
     Wire::kAcp,
     "say One.\n"
     "ask Bash {\"command\":\"make\"}\n"
     "print {\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"new/thing\","
     "\"params\":{}}\n"
     "expect not offered: new/thing\n"
     "say Done.\nok",
     5,
     {}},
};

class LostRepliesTest : public ::testing::TestWithParam<Wired> {
 protected:
  static TestTask::Options Script(absl::string_view script) {
    TestTask::Options options = {.harness = GetParam().harness,
                                 .script = std::string(script)};
    options.request.options.wire = GetParam().wire;
    if (GetParam().wire != Wire::kStreamJson) {
      options.request.options.edit_mode = EditMode::kAsk;
    }
    options.request.options.skip_git_check =
        GetParam().harness == Harness::kCodex;
    options.request.timeouts.start = absl::Seconds(2);
    options.request.timeouts.idle = absl::Seconds(1);
    return options;
  }

  // Answers everything, and gives the input that the agent waits for, until
  // the task rests.
  static bool AnswerAll(TestTask& task) {
    return task.Until([&] {
      Runner& runner = task.runner();
      if (runner.at_rest()) return true;
      const TaskState& state = task.state();
      if (state.status == TaskStatus::kIdle) {
        EXPECT_TRUE(runner.CloseInput().ok());
      }
      if (GetParam().wire == Wire::kAppServer && !task.All<Text>().empty()) {
        runner
            .Input({.prompt = "to the left",
                    .request_key = "steer",
                    .mode = InputMode::kSteer})
            .IgnoreError();
      }
      for (const auto& [id, pending] : state.approvals) {
        runner
            .Respond({.id = id,
                      .by = "user",
                      .answer = ApprovalAnswer{.allow = true}})
            .IgnoreError();
      }
      for (const auto& [id, pending] : state.questions) {
        runner
            .Respond({.id = id,
                      .by = "user",
                      .answer = QuestionAnswer{.answers = {{"Red"}}}})
            .IgnoreError();
      }
      return false;
    });
  }

  // Lines that were written to the agent.
  static int Written(TestTask& task) {
    const auto log = relay::ReadLog(task.runner().folder().fd.get());
    return static_cast<int>(
        absl::c_count_if(log.records, [](const relay::OwnedRecord& record) {
          return record.stream == relay::Stream::kStdin;
        }));
  }

  TestHome home_;
};

INSTANTIATE_TEST_SUITE_P(All, LostRepliesTest, ::testing::ValuesIn(kWires),
                         [](const auto& info) {
                           return std::string(HarnessId(info.param.harness));
                         });

TEST_P(LostRepliesTest, AllThatIsHeardEndsWell) {
  const int lines = GetParam().lines;
  TestTask task(
      &home_, Script(absl::StrCat("deaf ", lines + 1, "\n", GetParam().turn)));
  ASSERT_TRUE(AnswerAll(task));
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
  EXPECT_TRUE(absl::EndsWith(task.Answer(), "Done."));
  EXPECT_EQ(Written(task), lines);
}

TEST_P(LostRepliesTest, EachLineThatIsLostEndsTheTaskWithAReason) {
  for (int lost = 1; lost <= GetParam().lines; ++lost) {
    SCOPED_TRACE(lost);
    TestTask task(&home_,
                  Script(absl::StrCat("deaf ", lost, "\n", GetParam().turn)));
    ASSERT_TRUE(AnswerAll(task));
    const auto results = task.All<Result>();
    ASSERT_EQ(results.size(), 1u);
    if (absl::c_linear_search(GetParam().needless, lost)) {
      EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
      continue;
    }
    EXPECT_EQ(task.state().status, TaskStatus::kFailed);
    EXPECT_THAT(task.state().error, HasSubstr("deadline of"));
    EXPECT_TRUE(results[0].is_error);
  }
}

TEST_P(LostRepliesTest, AnInterruptThatIsLostEndsTheProcess) {
  // The line behind those that begin the turn.
  static const std::map<Wire, int> kInterrupts = {
      {Wire::kStreamJson, 2}, {Wire::kAppServer, 6}, {Wire::kAcp, 4}};
  TestTask::Options options = Script(
      absl::StrCat("deaf ", kInterrupts.at(GetParam().wire), "\nsay A.\nhang"));
  options.request.timeouts.idle = absl::Hours(1);
  TestTask task(&home_, std::move(options));
  // Gemini's text ends with the turn.
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kRunning));
  ASSERT_TRUE(task.Until([&] {
    return Written(task) == kInterrupts.at(GetParam().wire) - 1 &&
           task.state().turn_open;
  }));
  ASSERT_TRUE(task.runner().Interrupt("user", "").ok());
  ASSERT_TRUE(task.Until([&] { return task.runner().settled(); }));
  task.clock().Advance(absl::Seconds(11));
  ASSERT_TRUE(task.UntilRest());
  EXPECT_EQ(task.state().status, TaskStatus::kInterrupted);
  EXPECT_THAT(task.state().error, HasSubstr("interrupted by user"));
}

// Only Claude Code changes the model of a process.
TEST(LostModelTest, AModelThatIsNotSetKeepsNoTurnFromRunning) {
  const TestHome home;
  TestTask task(&home,
                {.harness = Harness::kClaude, .script = "deaf 2\nsay A.\nok"});
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kIdle));
  ASSERT_TRUE(task.runner().Input({.prompt = "more", .model = "opus"}).ok());
  ASSERT_TRUE(task.Until([&] { return task.All<Result>().size() == 2; }));
  EXPECT_NE(task.state().model, "opus");
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
}

}  // namespace
}  // namespace troika
