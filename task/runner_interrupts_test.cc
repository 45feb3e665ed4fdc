// Ends of turns that somebody asks for: on fake CLIs, through the real relay.
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "task/runner.h"
#include "task/runner_testing.h"

namespace troika {
namespace {

class RunnerInterruptsTest : public ::testing::Test {
 protected:
  TestHome home_;
};

TEST_F(RunnerInterruptsTest,
       AnInterruptThatIsNotHeardEndsTheAgentAfterARestart) {
  std::optional<TestTask> first;
  first.emplace(&home_, TestTask::Options{.harness = Harness::kClaude,
                                          .script = "deaf 2\nsay A.\nhang"});
  ASSERT_TRUE(first->Until([&] { return !first->All<Text>().empty(); }));
  ASSERT_TRUE(first->runner().Interrupt("user", "").ok());
  ASSERT_TRUE(first->Until([&] {
    return first->state().ending.kind == Ending::Kind::kInterrupt &&
           first->runner().settled();
  }));
  const std::string id = first->state().task;
  first.reset();
  TestTask second(&home_, id);
  ASSERT_TRUE(second.Until([&] {
    return second.runner().caught_up() && second.runner().role().has_value();
  }));
  second.clock().Advance(absl::Seconds(11));
  ASSERT_TRUE(second.UntilRest());
  EXPECT_EQ(second.state().status, TaskStatus::kInterrupted);
}

TEST_F(RunnerInterruptsTest, ClaudeGoesOnAfterAnInterrupt) {
  TestTask task(&home_, {.harness = Harness::kClaude,
                         .script = "== turn 1\nsay One.\nhang\n"
                                   "== turn 2\nsay Two.\nok\n"});
  ASSERT_TRUE(task.Until([&] { return !task.All<Text>().empty(); }));
  ASSERT_TRUE(task.runner().Interrupt("user", "").ok());
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kIdle));
  ASSERT_TRUE(task.runner().Input({.prompt = "go on"}).ok());
  ASSERT_TRUE(task.Until([&] { return task.All<Result>().size() == 2; }));
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
  EXPECT_EQ(task.state().generation, 1);
}

TEST_F(RunnerInterruptsTest, InterruptWithdrawsAFollowUpThatWaits) {
  for (const Harness harness : {Harness::kCodex, Harness::kClaude}) {
    bool may_start = true;
    TestTask task(&home_,
                  {.harness = harness,
                   .script = "== turn 1\nsay One.\nok\n== resume\nsay Two.\nok",
                   .may_start = [&] { return may_start; }});
    ASSERT_TRUE(task.UntilEnd());
    ASSERT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
    const TaskState before = task.state();
    may_start = false;
    ASSERT_TRUE(task.runner().Input({.prompt = "more"}).ok());
    ASSERT_TRUE(task.Until([&] { return task.runner().waits_for_start(); }));
    ASSERT_EQ(task.state().status, TaskStatus::kQueued);
    ASSERT_TRUE(task.runner().Interrupt("user", "not now").ok());
    ASSERT_TRUE(task.UntilRest());
    EXPECT_EQ(task.state().status, TaskStatus::kDone);
    EXPECT_EQ(task.state().result, before.result);
    EXPECT_EQ(task.state().ended, before.ended);
    EXPECT_EQ(task.All<Result>().back().error, "cancelled: not now");
    may_start = true;
    ASSERT_TRUE(task.runner().Input({.prompt = "again"}).ok());
    ASSERT_TRUE(task.UntilEnd());
    EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
    EXPECT_EQ(task.Answer(), "Two.");
  }
}

TEST_F(RunnerInterruptsTest, InterruptWithdrawsATurnThatWaitsForAnotherMode) {
  bool may_start = true;
  TestTask task(&home_, {.harness = Harness::kClaude,
                         .script = "== turn 1\nsay One.\nok",
                         .may_start = [&] { return may_start; }});
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kIdle));
  ASSERT_TRUE(task.runner()
                  .Input({.prompt = "more", .edit_mode = EditMode::kAutoEdit})
                  .ok());
  ASSERT_TRUE(task.runner().Interrupt("user", "").ok());
  ASSERT_TRUE(task.UntilRest());
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
  EXPECT_EQ(task.state().generation, 1);
  EXPECT_EQ(task.state().turns, 2);
}

TEST_F(RunnerInterruptsTest, ThereIsNothingToInterruptBetweenTurns) {
  TestTask task(&home_, {.harness = Harness::kClaude,
                         .script = "== turn 1\nsay One.\nok\n== turn 2\nhang"});
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kIdle));
  const absl::Status refused = task.runner().Interrupt("user", "");
  EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
  EXPECT_THAT(refused.message(), testing::HasSubstr("no turn of task"));
  ASSERT_TRUE(task.runner().Input({.prompt = "more"}).ok());
  EXPECT_TRUE(task.runner().Interrupt("user", "").ok());
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kIdle));
}

TEST_F(RunnerInterruptsTest,
       AnInterruptTakesATurnBackThatWaitsForTheNextProcess) {
  TestTask task(&home_, {.harness = Harness::kCodex,
                         .script = "== turn 1\nsay One.\nok\nsleep 300\n"
                                   "== turn 2\nhang"});
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kIdle));
  ASSERT_TRUE(task.runner().Input({.prompt = "more"}).ok());
  ASSERT_TRUE(task.runner().Interrupt("user", "").ok());
  ASSERT_TRUE(task.UntilRest());
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
  EXPECT_EQ(task.state().generation, 1);
  EXPECT_EQ(task.state().inputs.back().receipt.state,
            Receipt::State::kWithdrawn);
  // The same if the turn is in the log.
  TestTask other(&home_, {.harness = Harness::kCodex,
                          .script = "== turn 1\nsay One.\nok\nsleep 300\n"
                                    "== turn 2\nhang"});
  ASSERT_TRUE(other.UntilStatus(TaskStatus::kIdle));
  ASSERT_TRUE(other.runner().Input({.prompt = "more"}).ok());
  ASSERT_TRUE(other.Until([&] { return other.state().turns_waiting == 1; }));
  ASSERT_TRUE(other.runner().Interrupt("user", "").ok());
  ASSERT_TRUE(other.UntilRest());
  EXPECT_EQ(other.state().status, TaskStatus::kDone) << other.state().error;
  EXPECT_EQ(other.state().generation, 1);
}

}  // namespace
}  // namespace troika
