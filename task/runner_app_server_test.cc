// Conversations with `codex app-server`: on a fake CLI, through the real relay.
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "task/runner.h"
#include "task/runner_testing.h"

namespace troika {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr absl::string_view kAsks =
    "ask Bash {\"command\":\"make\"}\nsay Made.\nok";

class RunnerAppServerTest : public ::testing::Test {
 protected:
  RunnerAppServerTest() {
    std::filesystem::create_directory(home_.cwd() + "/.git");
  }

  static TestTask::Options Script(absl::string_view script) {
    TestTask::Options options = {.harness = Harness::kCodex,
                                 .script = std::string(script)};
    options.request.options.edit_mode = EditMode::kAsk;
    return options;
  }
  static AnswerGiven Answer(const TestTask& task, ApprovalAnswer answer) {
    return {.id = task.state().approvals.begin()->first,
            .by = "user",
            .answer = std::move(answer)};
  }

  TestHome home_;
};

TEST_F(RunnerAppServerTest, AllowedGoesOn) {
  TestTask task(&home_, Script(kAsks));
  ASSERT_TRUE(task.created().ok()) << task.created();
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kAwaitingApproval));
  const Approval asked = task.state().approvals.begin()->second.request;
  EXPECT_EQ(asked.kind, Approval::Kind::kCommandLine);
  EXPECT_EQ(asked.command, "/bin/bash -c make");
  EXPECT_EQ(asked.cwd, home_.cwd());
  ASSERT_TRUE(task.runner().Respond(Answer(task, {.allow = true})).ok());
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
  EXPECT_EQ(task.Answer(), "Made.");
  EXPECT_EQ(task.All<Approval>().back().state, Approval::State::kAllowed);
  EXPECT_THAT(task.All<UserInput>(), SizeIs(1));
  EXPECT_THAT(task.All<Raw>(), IsEmpty());
}

TEST_F(RunnerAppServerTest, DeniedIsToldWithTheReason) {
  TestTask task(&home_, Script(kAsks));
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kAwaitingApproval));
  ASSERT_TRUE(
      task.runner().Respond(Answer(task, {.reason = "not today"})).ok());
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
  EXPECT_EQ(task.Answer(), "I may not use Bash: decline");
  EXPECT_EQ(task.All<Approval>().back().state, Approval::State::kDenied);
  EXPECT_EQ(task.All<Approval>().back().reason, "not today");
}

TEST_F(RunnerAppServerTest, QuestionsAreAnswered) {
  TestTask task(&home_,
                Script("question Which? | Red | Blue\nsay Thanks.\nok"));
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kAwaitingAnswer));
  ASSERT_TRUE(task.runner()
                  .Respond({.id = task.state().questions.begin()->first,
                            .by = "user",
                            .answer = QuestionAnswer{.answers = {{"Blue"}}}})
                  .ok());
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.Answer(), "Thanks.");
  EXPECT_THAT(task.All<Question>().back().items[0].answers,
              testing::ElementsAre("Blue"));
}

TEST_F(RunnerAppServerTest, AnInterruptEndsTheTurnAndKeepsTheProcess) {
  TestTask task(&home_, Script("== turn 1\nstart-run sleep 9\nhang\n"
                               "== turn 2\nsay Two.\nok"));
  ASSERT_TRUE(task.Until([&] { return !task.All<ToolUse>().empty(); }));
  ASSERT_TRUE(task.runner().Interrupt("user", "").ok());
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kIdle));
  ASSERT_THAT(task.All<ToolResult>(), SizeIs(1));
  EXPECT_TRUE(task.All<ToolResult>()[0].synthetic);
  EXPECT_EQ(task.All<Result>()[0].reason, "interrupted");
  ASSERT_TRUE(task.runner().Input({.prompt = "more"}).ok());
  ASSERT_TRUE(task.Until([&] { return !task.All<Text>().empty(); }));
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
  EXPECT_EQ(task.Answer(), "Two.");
  EXPECT_EQ(task.state().generation, 1);
}

TEST_F(RunnerAppServerTest, AnInterruptBeforeTheThreadIsOpenIsKept) {
  TestTask task(&home_, Script("== start\nsleep 300\n== turn 1\nhang"));
  ASSERT_TRUE(task.Until([&] { return task.state().process_alive; }));
  ASSERT_TRUE(task.runner().Interrupt("user", "").ok());
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kIdle));
  EXPECT_EQ(task.All<Result>()[0].reason, "interrupted");
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kInterrupted);
}

TEST_F(RunnerAppServerTest, InputSteersTheRunningTurn) {
  TestTask task(&home_, Script("say One.\nexpect turn/steer\nsay Left.\nok"));
  ASSERT_TRUE(task.Until([&] { return !task.All<Text>().empty(); }));
  ASSERT_TRUE(task.runner().Input({.prompt = "go left"}).ok());
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
  EXPECT_EQ(task.Answer(), "Left.");
  EXPECT_THAT(task.All<UserInput>(), SizeIs(2));
  EXPECT_THAT(task.All<Result>(), SizeIs(1));
}

// Another runner takes up the task and finds what was asked.
TEST_F(RunnerAppServerTest, AnApprovalSurvivesARestart) {
  for (const bool answered_before : {false, true}) {
    auto first = std::make_unique<TestTask>(&home_, Script(kAsks));
    ASSERT_TRUE(first->UntilStatus(TaskStatus::kAwaitingApproval));
    const std::string id = first->runner().folder().id;
    if (answered_before) {
      ASSERT_TRUE(
          first->runner().Respond(Answer(*first, {.allow = true})).ok());
    }
    first.reset();
    TestTask second(&home_, id);
    if (!answered_before) {
      ASSERT_TRUE(second.UntilStatus(TaskStatus::kAwaitingApproval));
      ASSERT_TRUE(second.Until([&] {
        return second.runner().Respond(Answer(second, {.allow = true})).ok();
      }));
    }
    ASSERT_TRUE(second.UntilEnd());
    EXPECT_EQ(second.state().status, TaskStatus::kDone) << second.state().error;
    EXPECT_EQ(second.Answer(), "Made.");
    // Asked, accepted and delivered.
    EXPECT_THAT(second.All<Approval>(), SizeIs(3));
  }
}

TEST_F(RunnerAppServerTest, TheNextProcessResumesTheThread) {
  TestTask task(&home_,
                Script("== turn 1\nsay One.\nok\n== resume\nsay Two.\nok"));
  ASSERT_TRUE(task.UntilEnd());
  const std::string session = task.state().session_id;
  EXPECT_FALSE(session.empty());
  ASSERT_TRUE(task.runner().Input({.prompt = "more"}).ok());
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
  EXPECT_EQ(task.Answer(), "Two.");
  EXPECT_EQ(task.state().generation, 2);
  EXPECT_EQ(task.state().session_id, session);
}

TEST_F(RunnerAppServerTest, OutsideAGitRepositoryItIsRefused) {
  std::filesystem::remove(home_.cwd() + "/.git");
  TestTask::Options options = Script(kAsks);
  EXPECT_THAT(TestTask(&home_, options).created().message(),
              HasSubstr("is not in a git repository"));
  options.request.options.skip_git_check = true;
  TestTask task(&home_, options);
  EXPECT_TRUE(task.created().ok()) << task.created();
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kAwaitingApproval));
  ASSERT_TRUE(task.runner().Stop("user", "", absl::Milliseconds(50)).ok());
  ASSERT_TRUE(task.UntilRest());
  EXPECT_EQ(task.All<Approval>().back().state, Approval::State::kCancelled);
}

}  // namespace
}  // namespace troika
