// What we write to an agent may get lost. Then its turn must not hang: the task
// ends, and says why. On a fake CLI, through the real relay.
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "task/runner.h"
#include "task/runner_testing.h"

namespace troika {
namespace {

using ::testing::HasSubstr;

// The agent hears four lines: the prompt, two answers, and the refusal of a
// request that we don't know.
constexpr absl::string_view kTurn =
    "ask Bash {\"command\":\"make\"}\n"
    "question Which? | Red | Blue\n"
    "print {\"type\":\"control_request\",\"request_id\":\"x\","
    "\"request\":{\"subtype\":\"new_thing\"}}\n"
    "expect Unsupported request: new_thing\n"
    "say Done.\nok";
constexpr int kLines = 4;

class LostRepliesTest : public ::testing::Test {
 protected:
  // Answers everything until the task rests.
  static bool AnswerAll(TestTask& task) {
    return task.Until([&] {
      if (task.runner().at_rest()) return true;
      if (task.state().status == TaskStatus::kIdle) {
        EXPECT_TRUE(task.runner().CloseInput().ok());
      }
      for (const auto& [id, pending] : task.state().approvals) {
        task.runner()
            .Respond({.id = id,
                      .by = "user",
                      .answer = ApprovalAnswer{.allow = true}})
            .IgnoreError();
      }
      for (const auto& [id, pending] : task.state().questions) {
        task.runner()
            .Respond({.id = id,
                      .by = "user",
                      .answer = QuestionAnswer{.answers = {{"Red"}}}})
            .IgnoreError();
      }
      return false;
    });
  }

  TestHome home_;
};

TEST_F(LostRepliesTest, AllThatIsHeardEndsWell) {
  TestTask task(&home_,
                {.harness = Harness::kClaude,
                 .script = absl::StrCat("deaf ", kLines + 1, "\n", kTurn)});
  ASSERT_TRUE(AnswerAll(task));
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
  EXPECT_EQ(task.Answer(), "Done.");
}

TEST_F(LostRepliesTest, EachLineThatIsLostEndsTheTaskWithAReason) {
  for (int lost = 1; lost <= kLines; ++lost) {
    TestTask::Options options = {
        .harness = Harness::kClaude,
        .script = absl::StrCat("deaf ", lost, "\n", kTurn)};
    options.request.timeouts.start = absl::Seconds(2);
    options.request.timeouts.idle = absl::Seconds(1);
    TestTask task(&home_, std::move(options));
    ASSERT_TRUE(AnswerAll(task)) << lost;
    EXPECT_EQ(task.state().status, TaskStatus::kFailed) << lost;
    EXPECT_THAT(task.state().error, HasSubstr("deadline of")) << lost;
    const auto results = task.All<Result>();
    ASSERT_EQ(results.size(), 1u) << lost;
    EXPECT_TRUE(results[0].is_error) << lost;
  }
}

TEST_F(LostRepliesTest, AnInterruptThatIsLostEndsTheProcess) {
  TestTask task(
      &home_, {.harness = Harness::kClaude, .script = "deaf 2\nsay A.\nhang"});
  ASSERT_TRUE(task.Until([&] { return !task.All<Text>().empty(); }));
  ASSERT_TRUE(task.runner().Interrupt("user", "").ok());
  ASSERT_TRUE(task.Until([&] { return task.runner().settled(); }));
  task.clock().Advance(absl::Seconds(11));
  ASSERT_TRUE(task.UntilRest());
  EXPECT_EQ(task.state().status, TaskStatus::kInterrupted);
  EXPECT_THAT(task.state().error, HasSubstr("interrupted by user"));
}

TEST_F(LostRepliesTest, AModelThatIsNotSetKeepsNoTurnFromRunning) {
  TestTask task(&home_,
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
