// Inputs while a turn runs, with the real relay and fake CLIs.
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "task/load_testing.h"
#include "task/runner.h"
#include "task/runner_testing.h"
#include "task/state_testing.h"

namespace troika {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr char kThreeTurns[] =
    "== turn 1\nsay One.\nsleep 700\nok\n"
    "== turn 2\nsay Two.\nok\n== turn 3\nsay Three.\nok\n";

std::vector<std::string> Texts(const TestTask& task) {
  std::vector<std::string> texts;
  for (const Text& text : task.All<Text>()) texts.push_back(text.text);
  return texts;
}

std::vector<std::string> Inputs(const TaskState& state) {
  constexpr absl::string_view kStates[] = {"queued", "delivered", "failed",
                                           "withdrawn"};
  std::vector<std::string> texts;
  for (const TaskInput& input : state.inputs) {
    texts.push_back(absl::StrCat(input.receipt.id, " ",
                                 kStates[static_cast<int>(input.receipt.state)],
                                 " ", input.receipt.text));
  }
  return texts;
}

void ExpectLoadedAsLive(TestTask& task) {
  const auto loaded = Load(task.runner().folder(), [](Message&&) {});
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(StateText(*loaded), StateText(task.state()));
}

class RunnerInputsTest : public ::testing::TestWithParam<Harness> {
 protected:
  TestHome home_;
};

INSTANTIATE_TEST_SUITE_P(All, RunnerInputsTest,
                         ::testing::Values(Harness::kCodex, Harness::kClaude,
                                           Harness::kGemini),
                         [](const auto& info) {
                           return std::string(HarnessId(info.param));
                         });

TEST_P(RunnerInputsTest, QueuedInputsAreSentInOrderOverARestart) {
  auto first = std::make_unique<TestTask>(
      &home_, TestTask::Options{.harness = GetParam(), .script = kThreeTurns});
  ASSERT_TRUE(first->UntilStatus(TaskStatus::kRunning));
  std::string id, again;
  const TurnRequest second = {
      .prompt = "second", .request_key = "k", .mode = InputMode::kQueue};
  ASSERT_TRUE(first->runner().Input(second, &id).ok());
  ASSERT_TRUE(first->runner().Input(second, &again).ok());
  EXPECT_EQ(id, "in-2");
  EXPECT_EQ(again, "in-2");
  ASSERT_TRUE(first->runner()
                  .Input({.prompt = "third", .mode = InputMode::kQueue})
                  .ok());
  ASSERT_TRUE(first->Until([&] { return first->state().inputs.size() == 3; }));
  EXPECT_THAT(Inputs(first->state()),
              ElementsAre("in-1 delivered do it", "in-2 queued second",
                          "in-3 queued third"));
  const std::string task_id = first->runner().folder().id;
  first.reset();
  TestTask task(&home_, task_id);
  ASSERT_TRUE(task.Until([&] { return task.state().last_record > 3; }));
  ASSERT_TRUE(task.runner().Input(second, &again).ok());
  EXPECT_EQ(again, "in-2") << "the key is known over the restart";
  ASSERT_TRUE(task.Until([&] { return task.All<Result>().size() == 3; }));
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_THAT(Texts(task), ElementsAre("One.", "Two.", "Three."));
  EXPECT_THAT(Inputs(task.state()),
              ElementsAre("in-1 delivered do it", "in-2 delivered second",
                          "in-3 delivered third"));
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
  ExpectLoadedAsLive(task);
}

TEST_P(RunnerInputsTest, InputThatEndsTheTurnIsSentFirst) {
  TestTask task(&home_, {.harness = GetParam(),
                         .script = "== turn 1\nsay One.\nhang\n"
                                   "== turn 2\nsay Two.\nok\n"
                                   "== turn 3\nsay Three.\nok\n"});
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kRunning));
  ASSERT_TRUE(
      task.runner().Input({.prompt = "later", .mode = InputMode::kQueue}).ok());
  ASSERT_TRUE(task.runner()
                  .Input({.prompt = "now", .mode = InputMode::kInterrupt})
                  .ok());
  ASSERT_TRUE(task.Until([&] { return task.All<Result>().size() == 3; }));
  ASSERT_TRUE(task.UntilEnd());
  std::vector<std::string> prompts;
  for (const UserInput& input : task.All<UserInput>()) {
    // The CLI's own words, which it prints as the user's.
    if (input.text.starts_with("[Request interrupted")) continue;
    prompts.push_back(input.text);
  }
  EXPECT_THAT(prompts, ElementsAre("do it", "now", "later"));
  EXPECT_TRUE(task.All<Result>()[0].is_error);
  EXPECT_EQ(task.state().outcome, TurnOutcome::kDone);
  ExpectLoadedAsLive(task);
}

TEST_P(RunnerInputsTest, InterruptHoldsTheQueueUntilItIsResumed) {
  TestTask task(&home_, {.harness = GetParam(),
                         .script = "== turn 1\nsay One.\nhang\n"
                                   "== turn 2\nsay Two.\nok\n"});
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kRunning));
  ASSERT_TRUE(
      task.runner().Input({.prompt = "more", .mode = InputMode::kQueue}).ok());
  ASSERT_TRUE(task.Until([&] { return task.state().inputs.size() == 2; }));
  ASSERT_TRUE(task.runner().Interrupt("user", "").ok());
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kInterrupted);
  EXPECT_TRUE(task.state().queue_held);
  EXPECT_EQ(task.state().turns, 1);
  ASSERT_TRUE(task.runner().ResumeQueue("user").ok());
  ASSERT_TRUE(task.Until([&] { return task.All<Result>().size() == 2; }));
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.Answer(), "Two.");
  EXPECT_TRUE(absl::IsFailedPrecondition(task.runner().ResumeQueue("user")));
}

TEST_P(RunnerInputsTest, InputsThatWaitAreEditedAndTakenBack) {
  TestTask task(&home_, {.harness = GetParam(),
                         .script = "== turn 1\nsay One.\nsleep 700\nok\n"
                                   "== turn 2\nexpect-prompt edited\n"
                                   "say Two.\nok\n"});
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kRunning));
  for (const char* prompt : {"second", "third"}) {
    ASSERT_TRUE(task.runner()
                    .Input({.prompt = prompt, .mode = InputMode::kQueue})
                    .ok());
  }
  ASSERT_TRUE(task.Until([&] { return task.state().inputs.size() == 3; }));
  Runner& runner = task.runner();
  EXPECT_TRUE(absl::IsNotFound(runner.EditInput("in-9", "x", "user")));
  EXPECT_TRUE(
      absl::IsFailedPrecondition(runner.WithdrawInput("in-1", "user", "")));
  EXPECT_TRUE(absl::IsInvalidArgument(runner.EditInput("in-2", "", "user")));
  EXPECT_TRUE(runner.EditInput("in-2", "edited", "user").ok());
  EXPECT_TRUE(runner.WithdrawInput("in-3", "user", "no").ok());
  ASSERT_TRUE(task.Until([&] { return task.All<Result>().size() == 2; }));
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.Answer(), "Two.") << task.state().error;
  EXPECT_THAT(Inputs(task.state()),
              ElementsAre("in-1 delivered do it", "in-2 delivered edited",
                          "in-3 withdrawn third"));
}

TEST_P(RunnerInputsTest, QueueHasLimits) {
  TestTask task(&home_, {.harness = GetParam(), .script = "say One.\nhang"});
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kRunning));
  const TurnRequest large = {.prompt = std::string(7 << 20, 'x'),
                             .mode = InputMode::kQueue};
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(task.runner().Input(large).ok());
    ASSERT_TRUE(task.Until([&] { return task.runner().settled(); }));
  }
  ASSERT_TRUE(task.Until([&] { return task.state().inputs.size() == 3; }));
  EXPECT_THAT(task.runner().Input(large).message(),
              HasSubstr("would have over 16 MiB together"));
  for (int i = 0; i < 98; ++i) {
    ASSERT_TRUE(
        task.runner().Input({.prompt = "x", .mode = InputMode::kQueue}).ok());
  }
  ASSERT_TRUE(task.Until([&] { return task.state().inputs.size() == 101; }));
  EXPECT_THAT(
      task.runner().Input({.prompt = "x", .mode = InputMode::kQueue}).message(),
      StartsWith("100 inputs wait already"));
  ASSERT_TRUE(task.runner().Stop("user", "").ok());
  ASSERT_TRUE(task.UntilRest());
}

TEST(RunnerInputTest, APromptOfALiveProcessFollowsItsNote) {
  TestHome home;
  TestTask task(&home, {.harness = Harness::kClaude,
                        .script = "== turn 1\nsay One.\nok\n"
                                  "== turn 2\nsay Two.\nok\n"});
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kIdle));
  const int64_t before = task.state().last_record;
  ASSERT_TRUE(task.runner().Input({.prompt = "more"}).ok());
  ASSERT_TRUE(task.Until([&] { return task.Answer() == "Two."; }));
  const auto log = relay::ReadLog(task.runner().folder().fd.get());
  ASSERT_GT(log.records.size(), static_cast<size_t>(before) + 1);
  EXPECT_EQ(log.records[before].key, "turn-2");
  EXPECT_EQ(log.records[before + 1].key, "turn-2.prompt");
  EXPECT_THAT(Inputs(task.state()),
              ElementsAre("in-1 delivered do it", "in-2 delivered more"));
  ExpectLoadedAsLive(task);
}

TEST(RunnerSteerTest, InputIsDeliveredIntoTheRunningTurn) {
  const TestHome home;
  TestTask task(&home, {.harness = Harness::kClaude,
                        .script = "say One.\nsleep 500\nsay Two.\nok"});
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kRunning));
  std::string id;
  ASSERT_TRUE(task.runner().Input({.prompt = "also"}, &id).ok());
  EXPECT_EQ(id, "in-2");
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_THAT(Inputs(task.state()),
              ElementsAre("in-1 delivered do it", "in-2 delivered also"));
}

}  // namespace
}  // namespace troika
