// What agents ask their user, and what becomes of the answers: on a fake CLI,
// through the real relay.
#include <signal.h>
#include <sys/types.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "task/answer.h"
#include "task/runner.h"
#include "task/runner_testing.h"
#include "task/watchdog.h"

namespace troika {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr absl::string_view kAsks =
    "ask Bash {\"command\":\"make\"}\nsay Made.\nok";
constexpr absl::string_view kQuestion =
    "question Which? | Red | Blue\nsay Thanks.\nok";

class RunnerAnswersTest : public ::testing::Test {
 protected:
  static TestTask::Options Script(absl::string_view script) {
    return {.harness = Harness::kClaude, .script = std::string(script)};
  }
  static AnswerGiven Allow(const TestTask& task) {
    return {.id = task.state().approvals.begin()->first,
            .by = "user",
            .answer = ApprovalAnswer{.allow = true}};
  }

  TestHome home_;
};

TEST_F(RunnerAnswersTest, AllowedGoesOn) {
  TestTask task(&home_, Script(kAsks));
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kAwaitingApproval));
  ASSERT_TRUE(task.runner().Respond(Allow(task)).ok());
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
  EXPECT_EQ(task.Answer(), "Made.");
  const auto results = task.All<ToolResult>();
  ASSERT_THAT(results, SizeIs(1));
  EXPECT_THAT(results[0].output, HasSubstr("{\"command\":\"make\"}"));
}

TEST_F(RunnerAnswersTest, AnotherInputTakesThePlaceOfTheFirst) {
  TestTask task(&home_, Script(kAsks));
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kAwaitingApproval));
  AnswerGiven request = Allow(task);
  std::get<ApprovalAnswer>(request.answer).input_json = "[1]";
  EXPECT_TRUE(absl::IsInvalidArgument(task.runner().Respond(request)));
  std::get<ApprovalAnswer>(request.answer).input_json = R"({"command":"ls"})";
  ASSERT_TRUE(task.runner().Respond(request).ok());
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_THAT(task.All<ToolResult>()[0].output,
              HasSubstr("{\"command\":\"ls\"}"));
}

TEST_F(RunnerAnswersTest, AnIdMayComeAgain) {
  const auto ask = [](absl::string_view command) {
    return absl::StrCat(
        R"(print {"type":"control_request","request_id":"r1","request":)",
        R"({"subtype":"can_use_tool","tool_name":"Bash","input":{"command":")",
        command, "\"}}}\nexpect \"command\":\"", command, "\"\n");
  };
  TestTask task(&home_, Script(absl::StrCat(ask("a"), ask("b"), "say B.\nok")));
  for (const char* command : {R"({"command":"a"})", R"({"command":"b"})"}) {
    ASSERT_TRUE(task.Until([&] {
      const auto& approvals = task.state().approvals;
      return !approvals.empty() &&
             approvals.begin()->second.request.input_json == command;
    })) << command;
    ASSERT_TRUE(task.runner().Respond(Allow(task)).ok());
    EXPECT_FALSE(task.runner().Respond(Allow(task)).ok());
  }
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
}

TEST_F(RunnerAnswersTest, DeniedIsTold) {
  TestTask task(&home_, Script(kAsks));
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kAwaitingApproval));
  AnswerGiven request = Allow(task);
  request.answer = ApprovalAnswer{.reason = "not today"};
  ASSERT_TRUE(task.runner().Respond(request).ok());
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
  EXPECT_EQ(task.Answer(), "I may not use Bash: not today");
  EXPECT_EQ(task.All<Approval>().back().state, Approval::State::kDenied);
}

TEST_F(RunnerAnswersTest, QuestionsTakeAnAnswerForEachItem) {
  TestTask task(&home_, Script(kQuestion));
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kAwaitingAnswer));
  AnswerGiven request = {.id = task.state().questions.begin()->first,
                         .by = "user",
                         .answer = ApprovalAnswer{.allow = true}};
  EXPECT_THAT(task.runner().Respond(request).message(),
              HasSubstr("is a question"));
  request.answer = QuestionAnswer{};
  EXPECT_TRUE(absl::IsInvalidArgument(task.runner().Respond(request)));
  request.answer = QuestionAnswer{.answers = {{"Red", "Blue"}}};
  EXPECT_THAT(task.runner().Respond(request).message(),
              HasSubstr("takes one answer"));
  request.answer = QuestionAnswer{.answers = {{"Blue"}}};
  ASSERT_TRUE(task.runner().Respond(request).ok());
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.Answer(), "Thanks.");
  EXPECT_THAT(task.All<Question>().back().items[0].answers,
              ::testing::ElementsAre("Blue"));
}

TEST_F(RunnerAnswersTest, AnotherRunnerAnswers) {
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
  ASSERT_TRUE(second.runner().Respond(Allow(second)).ok());
  ASSERT_TRUE(second.UntilEnd());
  EXPECT_EQ(second.state().status, TaskStatus::kDone) << second.state().error;
  EXPECT_EQ(second.Answer(), "Made.");
}

TEST_F(RunnerAnswersTest, TheFirstAnswerCounts) {
  TestTask task(&home_, Script(kAsks));
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kAwaitingApproval));
  AnswerGiven request = Allow(task);
  request.via = "terminal";
  AnswerGiven other = Allow(task);
  other.answer = ApprovalAnswer{.reason = "no"};
  ASSERT_TRUE(task.runner().Respond(request).ok());
  constexpr absl::string_view kError =
      "ask-1 was answered already, by user (terminal): approve; that answer "
      "counts";
  absl::Status again = task.runner().Respond(other);
  EXPECT_TRUE(absl::IsFailedPrecondition(again)) << again;
  EXPECT_EQ(again.message(), kError) << "before the log has it";
  EXPECT_TRUE(again.GetPayload(kAnsweredPayload).has_value());
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kIdle));
  again = task.runner().Respond(other);
  EXPECT_TRUE(absl::IsFailedPrecondition(again)) << again;
  EXPECT_EQ(again.message(), kError) << "when it is delivered";
  EXPECT_TRUE(CheckTaken(task.state(), request).ok());
  EXPECT_FALSE(CheckTaken(task.state(), other).ok());
  other.id = "unknown";
  EXPECT_TRUE(absl::IsNotFound(task.runner().Respond(other)));
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.runner().Respond(request).message(), kError);
  EXPECT_THAT(task.All<Approval>(), SizeIs(3));
}

TEST_F(RunnerAnswersTest, AnswersAreAcceptedThenDelivered) {
  TestTask task(&home_, Script(kAsks));
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kAwaitingApproval));
  AnswerGiven request = Allow(task);
  request.via = "api";
  ASSERT_TRUE(task.runner().Respond(request).ok());
  ASSERT_TRUE(task.UntilEnd());
  const auto approvals = task.All<Approval>();
  ASSERT_THAT(approvals, SizeIs(3));
  EXPECT_EQ(approvals[0].delivery, Delivery::kUnanswered);
  EXPECT_EQ(approvals[0].command, "make");
  EXPECT_EQ(approvals[1].delivery, Delivery::kAccepted);
  EXPECT_EQ(approvals[2].delivery, Delivery::kDelivered);
  for (const Approval& decided : {approvals[1], approvals[2]}) {
    EXPECT_EQ(decided.state, Approval::State::kAllowed);
    EXPECT_EQ(decided.kind, Approval::Kind::kCommandLine);
    EXPECT_EQ(decided.choice, "approve");
    EXPECT_EQ(decided.by, "user");
    EXPECT_EQ(decided.via, "api");
    EXPECT_EQ(decided.input_json, "");
    EXPECT_THAT(decided.choices, IsEmpty());
  }
  // The task shows what was accepted until it is delivered.
  bool shown = false;
  for (const auto& [record, state] : task.states()) {
    const auto it = state.approvals.find("ask-1");
    shown = shown || (it != state.approvals.end() && it->second.answered &&
                      it->second.request.delivery == Delivery::kAccepted &&
                      it->second.request.input_json == R"({"command":"make"})");
  }
  EXPECT_TRUE(shown);
}

TEST_F(RunnerAnswersTest, OnlyOfferedChoicesAreTaken) {
  TestTask task(&home_, Script(kAsks));
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kAwaitingApproval));
  AnswerGiven request = Allow(task);
  std::get<ApprovalAnswer>(request.answer).choice = "approve_for_ever";
  const absl::Status refused = task.runner().Respond(request);
  EXPECT_TRUE(absl::IsInvalidArgument(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("it offers approve, approve_for_session, deny"));
  std::get<ApprovalAnswer>(request.answer).choice = "approve_for_session";
  ASSERT_TRUE(task.runner().Respond(request).ok());
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.All<Approval>().back().choice, "approve_for_session");
}

TEST_F(RunnerAnswersTest, ATimeoutDenies) {
  TestTask::Options options = Script(kAsks);
  options.request.timeouts.approval = absl::Milliseconds(300);
  TestTask task(&home_, std::move(options));
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kAwaitingApproval));
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kIdle));
  EXPECT_EQ(task.Answer(), "I may not use Bash: nobody answered within 300ms");
  const Approval denied = task.All<Approval>().back();
  EXPECT_EQ(denied.state, Approval::State::kDenied);
  EXPECT_EQ(denied.by, "timeout");
  EXPECT_EQ(denied.reason, "nobody answered within 300ms");
  ASSERT_TRUE(task.UntilEnd());
}

// The version asks without a flag, and we don't know whether it tells its model
// the reason of a denial.
TEST_F(RunnerAnswersTest, AReasonFollowsIfTheDenialCannotCarryIt) {
  TestTask::Options options = Script(
      R"(print {"type":"control_request","request_id":"r","request":)"
      R"({"subtype":"can_use_tool","tool_name":"Bash","input":{"command":)"
      R"("make"}}})"
      "\nexpect \"behavior\":\"deny\"\nexpect I did not allow Bash `make`: "
      "not today\nsay I see.\nok");
  options.env["TROIKA_FAKE_VERSION"] = "1.0.59";
  TestTask task(&home_, std::move(options));
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kAwaitingApproval));
  AnswerGiven request = Allow(task);
  request.answer = ApprovalAnswer{.reason = "not today"};
  ASSERT_TRUE(task.runner().Respond(request).ok());
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
  EXPECT_EQ(task.Answer(), "I see.");
  EXPECT_THAT(task.All<UserInput>(), SizeIs(2));
  EXPECT_THAT(task.state().owed_reasons, IsEmpty());
}

TEST(ApprovalTimeoutTest, TheOldestUnansweredOneIsNext) {
  const absl::Time start = absl::FromUnixSeconds(1000);
  TaskState state;
  state.process_alive = true;
  state.status = TaskStatus::kAwaitingApproval;
  state.approvals["a"] = {.awake_since = start + absl::Seconds(2)};
  state.approvals["b"] = {.awake_since = start + absl::Seconds(1)};
  state.approvals["c"] = {.answered = true, .awake_since = start};
  EXPECT_EQ(NextAlarm(state).at, absl::InfiniteFuture()) << "there is none";
  state.timeouts.approval = absl::Seconds(10);
  const Alarm alarm = NextAlarm(state);
  EXPECT_EQ(alarm.kind, Alarm::Kind::kApproval);
  EXPECT_EQ(alarm.approval, "b");
  EXPECT_EQ(alarm.at, start + absl::Seconds(11));
  state.ending = {.kind = Ending::Kind::kInterrupt};
  EXPECT_EQ(NextAlarm(state).at, absl::InfiniteFuture());
}

TEST_F(RunnerAnswersTest, AnAnswerMayComeTooLate) {
  TestTask task(&home_, Script(kAsks));
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kAwaitingApproval));
  const pid_t relay = task.runner().relay_pid();
  ASSERT_GT(relay, 0);
  AnswerGiven request = Allow(task);
  kill(relay, SIGKILL);
  ASSERT_TRUE(task.runner().Respond(request).ok());
  ASSERT_TRUE(task.UntilRest());
  EXPECT_EQ(task.state().status, TaskStatus::kFailed);
  const absl::Status taken = CheckTaken(task.state(), request);
  EXPECT_THAT(std::string(taken.message()), HasSubstr("came too late"));
  EXPECT_THAT(std::string(task.runner().Respond(request).message()),
              HasSubstr("can't be answered any more: the process ended"));
}

TEST_F(RunnerAnswersTest, AnInterruptWithdrawsWhatWasAsked) {
  TestTask task(&home_, Script(kAsks));
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kAwaitingApproval));
  ASSERT_TRUE(task.runner().Interrupt("user", "").ok());
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kInterrupted);
  EXPECT_THAT(task.state().approvals, IsEmpty());
  EXPECT_EQ(task.All<Approval>().back().state, Approval::State::kCancelled);
}

// It asks after the turn's result, in a process that takes input all the time.
TEST_F(RunnerAnswersTest, ASubagentInTheBackgroundAsksBetweenTurns) {
  const std::string script = absl::StrCat(
      R"(print {"type":"assistant","message":{"id":"m","content":[)"
      R"({"type":"tool_use","id":"t1","name":"Task","input":{}}]}})"
      "\n"
      R"(print {"type":"system","subtype":"task_started","task_id":"a1",)"
      R"("tool_use_id":"t1","task_type":"local_agent"})"
      "\n"
      R"(print {"type":"user","message":{"role":"user","content":[)"
      R"({"type":"tool_result","tool_use_id":"t1","content":"launched"}]}})"
      "\n"
      R"(print {"type":"result","subtype":"success","is_error":false,)"
      R"("result":"Later."})"
      "\n"
      R"(print {"type":"control_request","request_id":"r1","request":{)"
      R"("subtype":"can_use_tool","tool_name":"Bash","input":{"command":"ls"},)"
      R"("tool_use_id":"t2","agent_id":"a1"}})"
      "\n"
      "expect \"behavior\":\"allow\"\n"
      R"(print {"type":"system","subtype":"task_notification",)"
      R"("task_id":"a1","status":"completed"})"
      "\n"
      "say The subagent is done.\nok");
  TestTask task(&home_, Script(script));
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kAwaitingApproval));
  EXPECT_EQ(task.Answer(), "Later.");
  EXPECT_FALSE(task.state().turn_open);
  EXPECT_FALSE(task.state().input_closed);
  EXPECT_THAT(task.state().subagents, SizeIs(1));
  ASSERT_TRUE(task.runner().Respond(Allow(task)).ok());
  ASSERT_TRUE(task.Until([&] { return task.All<Result>().size() == 2; }));
  EXPECT_EQ(task.Answer(), "The subagent is done.");
  EXPECT_THAT(task.state().subagents, IsEmpty());
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
}

}  // namespace
}  // namespace troika
