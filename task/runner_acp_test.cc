// Conversations in the Agent Client Protocol: on the fake Gemini CLI, through
// the real relay.
#include <fstream>
#include <string>

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

class RunnerAcpTest : public ::testing::Test {
 protected:
  static TestTask::Options Script(absl::string_view script) {
    TestTask::Options options = {.harness = Harness::kGemini,
                                 .script = std::string(script)};
    options.request.options.edit_mode = EditMode::kAsk;
    return options;
  }
  static AnswerGiven Answer(const TestTask& task, absl::string_view choice) {
    ApprovalAnswer answer;
    answer.allow = choice == kApprove;
    answer.choice = std::string(choice);
    return {.id = task.state().approvals.begin()->first,
            .by = "user",
            .answer = answer};
  }

  TestHome home_;
};

TEST_F(RunnerAcpTest, ApprovedGoesOn) {
  TestTask task(&home_, Script(kAsks));
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kAwaitingApproval))
      << task.state().error;
  const Approval asked = task.state().approvals.begin()->second.request;
  EXPECT_EQ(asked.kind, Approval::Kind::kCommandLine);
  EXPECT_EQ(asked.command, "make");
  ASSERT_TRUE(task.runner().Respond(Answer(task, kApprove)).ok());
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kIdle));
  EXPECT_EQ(task.Answer(), "Made.");
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
}

TEST_F(RunnerAcpTest, ImagesAreSentAsDataWhereverTheyAre) {
  const std::string first = home_.path() + "/a.png";
  const std::string second = home_.cwd() + "/b.png";
  std::ofstream(first) << "one";
  std::ofstream(second) << "two";
  TestTask::Options options = Script(
      "expect-prompt go\nsay A.\nok\n== turn 2\nexpect-prompt more\nsay "
      "B.\nok");
  options.request.prompt = "go";
  options.request.options.images = {first};
  TestTask task(&home_, std::move(options));
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kIdle)) << task.state().error;
  ASSERT_TRUE(
      task.runner().Input({.prompt = "more", .images = {"b.png"}}).ok());
  ASSERT_TRUE(task.Until([&] { return task.All<Result>().size() == 2; }));
  EXPECT_EQ(task.Answer(), "B.");
  std::string written;
  const auto log = relay::ReadLog(task.runner().folder().fd.get());
  for (const relay::OwnedRecord& record : log.records) {
    if (record.stream == relay::Stream::kStdin) written += record.payload;
  }
  EXPECT_THAT(written, HasSubstr(R"("mimeType":"image/png","data":"b25l")"));
  EXPECT_THAT(written, HasSubstr(R"("mimeType":"image/png","data":"dHdv")"));
}

TEST_F(RunnerAcpTest, DeniedGoesOnWithoutIt) {
  TestTask task(&home_, Script(kAsks));
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kAwaitingApproval));
  ASSERT_TRUE(task.runner().Respond(Answer(task, kDeny)).ok());
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kIdle));
  EXPECT_EQ(task.All<Approval>().back().state, Approval::State::kDenied);
  ASSERT_THAT(task.All<ToolResult>(), SizeIs(1));
  EXPECT_EQ(task.All<ToolResult>()[0].output, "denied");
  EXPECT_EQ(task.Answer(), "I may not use Bash: canceled by the user");
  ASSERT_TRUE(task.UntilEnd());
}

TEST_F(RunnerAcpTest, AnotherTurnGoesToTheSameProcess) {
  TestTask task(&home_, Script("say One.\nok\n== turn 2\nsay Two.\nok"));
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kIdle)) << task.state().error;
  EXPECT_EQ(task.Answer(), "One.");
  ASSERT_TRUE(task.runner().Input({.prompt = "more"}).ok());
  ASSERT_TRUE(task.Until([&] { return task.Answer() == "Two."; }));
  EXPECT_EQ(task.state().generation, 1);
  EXPECT_EQ(task.state().usage.output, 60);
  ASSERT_TRUE(task.UntilEnd());
}

TEST_F(RunnerAcpTest, InterruptEndsTheTurnAndKeepsTheProcess) {
  TestTask task(&home_,
                Script("start-run sleep 1000\nhang\n== turn 2\nsay Back.\nok"));
  ASSERT_TRUE(task.Until([&] { return !task.All<ToolUse>().empty(); }));
  ASSERT_TRUE(task.runner().Interrupt("user", "enough").ok());
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kIdle)) << task.state().error;
  EXPECT_TRUE(task.state().result->is_error);
  EXPECT_EQ(task.state().result->reason, "cancelled");
  ASSERT_THAT(task.All<ToolResult>(), SizeIs(1));
  ASSERT_TRUE(task.runner().Input({.prompt = "more"}).ok());
  ASSERT_TRUE(task.Until([&] { return task.Answer() == "Back."; }));
  EXPECT_EQ(task.state().generation, 1);
  ASSERT_TRUE(task.UntilEnd());
}

TEST_F(RunnerAcpTest, InterruptTakesBackWhatWasAsked) {
  TestTask task(&home_, Script(kAsks));
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kAwaitingApproval));
  ASSERT_TRUE(task.runner().Interrupt("user", "").ok());
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kIdle)) << task.state().error;
  EXPECT_THAT(task.state().approvals, IsEmpty());
  EXPECT_EQ(task.All<Approval>().back().state, Approval::State::kCancelled);
  ASSERT_TRUE(task.UntilEnd());
}

TEST_F(RunnerAcpTest, AnotherRunnerAnswers) {
  std::string id;
  {
    TestTask first(&home_, Script(kAsks));
    ASSERT_TRUE(first.UntilStatus(TaskStatus::kAwaitingApproval));
    id = first.runner().folder().id;
  }
  TestTask second(&home_, id);
  ASSERT_TRUE(second.Until([&] {
    return second.state().status == TaskStatus::kAwaitingApproval &&
           second.runner().relay_pid() != 0;
  }));
  ASSERT_TRUE(second.runner().Respond(Answer(second, kApprove)).ok());
  ASSERT_TRUE(second.UntilEnd());
  EXPECT_EQ(second.state().status, TaskStatus::kDone) << second.state().error;
  EXPECT_EQ(second.Answer(), "Made.");
}

// Gemini CLI damages a session that is loaded in the minute of its creation.
TEST_F(RunnerAcpTest, AnEndedSessionIsLoadedInALaterMinute) {
  TestTask::Options options = Script("say One.\nok\n== turn 2\nsay Two.\nok");
  options.env["TROIKA_FAKE_STATE"] = home_.path() + "/sessions";
  TestTask task(&home_, options);
  ASSERT_TRUE(task.UntilEnd());
  ASSERT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
  const std::string session = task.state().session_id;
  ASSERT_TRUE(task.state().session_began.has_value());
  ASSERT_TRUE(task.runner().Input({.prompt = "more"}).ok());
  const auto waits = [&] {
    return task.runner().trouble().find("waits for the next minute") !=
           std::string::npos;
  };
  // The test may have begun at the end of a minute.
  if (task.Until([&] { return waits() || task.state().generation == 2; }) &&
      task.state().generation == 1) {
    task.clock().Advance(absl::Minutes(1));
  }
  ASSERT_TRUE(task.Until([&] { return task.Answer() == "Two."; }))
      << task.state().error;
  EXPECT_EQ(task.state().generation, 2);
  EXPECT_EQ(task.state().session_id, session);
  // The history that the agent repeats is not said again.
  EXPECT_THAT(task.All<Text>(), SizeIs(2));
  EXPECT_THAT(task.All<UserInput>(), SizeIs(2));
  ASSERT_TRUE(task.UntilEnd());
}

TEST_F(RunnerAcpTest, AnErrorOfTheModelEndsTheTurn) {
  TestTask task(&home_, Script("fail The model is overloaded."));
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kIdle)) << task.state().error;
  EXPECT_EQ(task.state().result->error, "The model is overloaded. (HTTP 500)");
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kFailed);
}

TEST_F(RunnerAcpTest, AnyAgentRunsByItsCommand) {
  TestTask::Options options = {.harness = Harness::kAcp,
                               .script = "say Hi.\nok"};
  options.request.options.acp_command = {FakeProgram(Harness::kGemini),
                                         "--acp"};
  std::string id;
  {
    TestTask task(&home_, options);
    ASSERT_TRUE(task.created().ok()) << task.created();
    ASSERT_TRUE(task.UntilStatus(TaskStatus::kIdle)) << task.state().error;
    EXPECT_EQ(task.Answer(), "Hi.");
    EXPECT_EQ(task.state().edit_mode, EditMode::kAsk);
    id = task.runner().folder().id;
  }
  // The log knows the command.
  TestTask loaded(&home_, id);
  ASSERT_TRUE(loaded.UntilEnd());
  EXPECT_EQ(loaded.state().status, TaskStatus::kDone) << loaded.state().error;
  ASSERT_TRUE(loaded.runner().Input({.prompt = "more"}).ok());
  ASSERT_TRUE(loaded.Until([&] { return loaded.state().generation == 2; }));
  ASSERT_TRUE(loaded.UntilEnd());
  EXPECT_EQ(loaded.state().status, TaskStatus::kDone) << loaded.state().error;
}

TEST_F(RunnerAcpTest, NoiseIsTolerated) {
  TestTask task(&home_,
                Script("print Loaded cached credentials.\nsay Hi.\nok"));
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
  EXPECT_EQ(task.Answer(), "Hi.");
}

TEST_F(RunnerAcpTest, QuickInterruptsLeaveNothingBehind) {
  for (int i = 0; i < 5; ++i) {
    TestTask task(&home_, Script("hang"));
    ASSERT_TRUE(task.Until([&] { return task.state().process_alive; }));
    ASSERT_TRUE(task.runner().Interrupt("user", "").ok());
    ASSERT_TRUE(task.UntilEnd()) << task.state().error;
    EXPECT_EQ(task.state().status, TaskStatus::kInterrupted);
    EXPECT_THAT(task.All<Result>(), SizeIs(1));
  }
}

TEST_F(RunnerAcpTest, AnInterruptBeforeTheSessionIsOpenWithdrawsTheTurn) {
  TestTask task(&home_, Script("== start\nsleep 300\n"
                               "== turn 1\nsay Left.\nok"));
  ASSERT_TRUE(task.Until([&] { return task.state().process_alive; }));
  ASSERT_TRUE(task.runner().Interrupt("user", "wrong one").ok());
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kIdle));
  EXPECT_EQ(task.state().inputs[0].receipt.state, Receipt::State::kWithdrawn);
  EXPECT_EQ(task.state().inputs[0].receipt.reason,
            "interrupted by user: wrong one");
  ASSERT_TRUE(task.runner().Input({.prompt = "to the left"}).ok());
  ASSERT_TRUE(task.Until([&] { return !task.All<Text>().empty(); }));
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kIdle));
  EXPECT_EQ(task.state().inputs[1].receipt.state, Receipt::State::kDelivered);
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.Answer(), "Left.");
  EXPECT_THAT(task.All<UserInput>(), SizeIs(1));
  EXPECT_EQ(task.state().generation, 1);
}

}  // namespace
}  // namespace troika
