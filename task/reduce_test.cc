#include "task/reduce.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "task/state_testing.h"

namespace troika {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Kind = Lifecycle::Kind;

class Tell {
 public:
  template <typename P>
  Tell& operator()(P payload) {
    Message message{.id = {++record_, 0},
                    .time = absl::FromUnixSeconds(record_),
                    .payload = std::move(payload)};
    Reduce(message, &state_);
    return *this;
  }
  Tell& Event(Kind kind, absl::string_view by = "",
              absl::string_view text = "") {
    const bool taken = kind == Kind::kTurnAsked && state_.process_alive;
    return (*this)(
        Lifecycle{.kind = kind,
                  .generation = kind == Kind::kSpawned || taken ? 1 : 0,
                  .by = std::string(by),
                  .text = std::string(text)});
  }
  Tell& Exit(int code) {
    return (*this)(Lifecycle{.kind = Kind::kExited,
                             .text = absl::StrCat("exited with code ", code),
                             .exit_code = code});
  }
  Tell& Good() { return (*this)(Result{.text = "answer"}); }
  Tell& Bad() {
    return (*this)(Result{.is_error = true, .error = "broken", .hint = "mend"});
  }
  Tell& Running() {
    return Event(Kind::kCreated)
        .Event(Kind::kTurnAsked)
        .Event(Kind::kSpawned)(Init{.session_id = "s", .model = "m"});
  }
  std::string status() const { return std::string(NameOf(state_.status)); }
  const TaskState& state() const { return state_; }

 private:
  TaskState state_;
  int64_t record_ = 0;
};

TEST(ReduceTest, GoodTurnOfOneProcess) {
  Tell tell;
  EXPECT_EQ(tell.Event(Kind::kCreated).status(), "queued");
  EXPECT_EQ(tell.Event(Kind::kTurnAsked, "user").status(), "queued");
  EXPECT_EQ(tell.Event(Kind::kSpawned).status(), "starting");
  EXPECT_EQ(tell(UserInput{.text = "go"}).status(), "starting");
  EXPECT_EQ(tell(Notice{.text = "a warning"}).status(), "starting");
  EXPECT_EQ(tell(Raw{.type = "stderr"}).status(), "starting");
  EXPECT_EQ(tell(Notice{.kind = Notice::Kind::kTurnStarted}).status(),
            "running");
  EXPECT_EQ(tell.Good().status(), "idle");
  EXPECT_EQ(tell.Exit(0).status(), "done");
  EXPECT_EQ(tell.state().turns, 1);
  EXPECT_EQ(tell.state().result->text, "answer");
  EXPECT_EQ(tell.state().ended, absl::FromUnixSeconds(9));
  EXPECT_THAT(tell.state().error, IsEmpty());
}

TEST(ReduceTest, LastActionIsAToolOrAText) {
  Tell tell;
  tell.Running();
  EXPECT_EQ(tell.state().last_action, "");
  tell(Text{.text = "\n I'll look.\nThen"});
  EXPECT_EQ(tell.state().last_action, "I'll look.\nThen");
  tell(ToolUse{
      .id = "1", .name = "Bash", .input_json = R"({"command":"make all"})"});
  EXPECT_EQ(tell.state().last_action, "Bash: make all");
  tell(Text{.text = " \n"});
  EXPECT_EQ(tell.state().last_action, "Bash: make all");
  tell(Text{.text = std::string(kMaxLastAction + 9, 'x')});
  EXPECT_THAT(tell.state().last_action, SizeIs(kMaxLastAction));
}

TEST(ReduceTest, ExitAfterAnErrorIsAFailure) {
  Tell tell;
  EXPECT_EQ(tell.Running().Bad().status(), "idle");
  EXPECT_EQ(tell.Exit(1).status(), "failed");
  EXPECT_EQ(tell.state().error, "broken");
  EXPECT_EQ(tell.state().hint, "mend");
  EXPECT_EQ(tell.state().exit_code, 1);
}

TEST(ReduceTest, ExitWithNothingSaidIsAFailure) {
  Tell tell;
  EXPECT_EQ(tell.Event(Kind::kSpawned).Exit(0).status(), "failed");
  EXPECT_EQ(tell.state().error, "exited with code 0");
}

TEST(ReduceTest, EndThatWasAskedForIsInterruptedWhateverTheCode) {
  for (const Kind kind : {Kind::kInterruptAsked, Kind::kStopAsked}) {
    for (const int code : {0, 1, 143}) {
      Tell tell;
      EXPECT_EQ(tell.Running().Event(kind, "user", "enough").status(),
                "running");
      EXPECT_EQ(tell.Bad().Exit(code).status(), "interrupted");
      EXPECT_EQ(tell.state().error, "interrupted by user: enough");
      EXPECT_THAT(tell.state().hint, IsEmpty());
    }
  }
}

TEST(ReduceTest, GoodResultAfterAnInterruptStands) {
  Tell tell;
  tell.Running().Event(Kind::kInterruptAsked, "user").Good().Exit(1);
  EXPECT_EQ(tell.status(), "done");
  EXPECT_THAT(tell.state().error, IsEmpty());
}

TEST(ReduceTest, InterruptedTurnOfALivingProcessIsIdle) {
  Tell tell;
  tell.Running().Event(Kind::kInterruptAsked, "user").Bad();
  EXPECT_EQ(tell.status(), "idle");
  EXPECT_EQ(tell.Event(Kind::kTurnAsked).status(), "running");
  EXPECT_EQ(tell.Good().Exit(0).status(), "done");
}

TEST(ReduceTest, DeadlineFailsAndNamesItself) {
  Tell tell;
  tell.Running().Event(Kind::kDeadline, "", "the idle deadline of 5m passed");
  EXPECT_EQ(tell.Event(Kind::kInterruptAsked, "user").Bad().Exit(0).status(),
            "failed");
  EXPECT_EQ(tell.state().error, "the idle deadline of 5m passed");
  EXPECT_EQ(tell.state().hint, "mend");
}

TEST(ReduceTest, DeadlineOfAQueuedTask) {
  Tell tell;
  tell.Event(Kind::kCreated).Event(Kind::kDeadline, "", "too late");
  EXPECT_EQ(tell.status(), "failed");
  EXPECT_EQ(tell.state().error, "too late");
}

TEST(ReduceTest, StopByTroikaFailsEvenAfterAGoodResult) {
  Tell tell;
  tell.Running().Event(Kind::kStopAsked, "troika", "another session");
  EXPECT_EQ(tell.Good().Exit(0).status(), "failed");
  EXPECT_EQ(tell.state().error, "another session");
}

TEST(ReduceTest, LostProcessFailsAndSaysWhy) {
  Tell running;
  running.Running().Event(Kind::kInterruptAsked, "user");
  EXPECT_EQ(running.Event(Kind::kLost, "", "lost: power").status(), "failed");
  EXPECT_EQ(running.state().error, "lost: power");
  Tell idle;
  idle.Running().Good().Event(Kind::kLost, "", "lost: power");
  EXPECT_EQ(idle.status(), "failed");
  EXPECT_EQ(idle.state().error, "lost: power");
}

TEST(ReduceTest, StartThatFailed) {
  Tell tell;
  tell.Event(Kind::kTurnAsked).Event(Kind::kStartFailed, "", "no such file");
  EXPECT_EQ(tell.status(), "failed");
  EXPECT_EQ(tell.state().error, "no such file");
  EXPECT_EQ(tell.state().turns_waiting, 0);
}

TEST(ReduceTest, CancelledOnlyBeforeTheStart) {
  EXPECT_EQ(Tell().Event(Kind::kCreated).Event(Kind::kCancelled).status(),
            "cancelled");
  EXPECT_EQ(Tell().Running().Event(Kind::kCancelled).status(), "running");
}

// Turns that wait are withdrawn, and the task stays as the last turn left it.
TEST(ReduceTest, WithdrawnTurnsLeaveTheTaskAsItWas) {
  const auto withdraw = [](Tell& tell) {
    const TaskState before = tell.state();
    tell.Event(Kind::kTurnAsked).Event(Kind::kTurnAsked);
    EXPECT_EQ(tell.status(), "queued");
    EXPECT_EQ(tell.state().turns_waiting, 2);
    tell.Event(Kind::kCancelled);
    for (int i = 0; i < 2; ++i) {
      tell(Result{.is_error = true, .error = "cancelled", .synthetic = true});
    }
    EXPECT_EQ(tell.state().status, before.status);
    EXPECT_EQ(tell.state().error, before.error);
    EXPECT_EQ(tell.state().hint, before.hint);
    EXPECT_EQ(tell.state().result, before.result);
    EXPECT_EQ(tell.state().ended, before.ended);
    EXPECT_EQ(tell.state().turns_waiting, 0);
    EXPECT_FALSE(tell.state().turn_open);
    // It takes turns as before.
    tell.Event(Kind::kTurnAsked);
    EXPECT_EQ(tell.status(), "queued");
    tell.Event(Kind::kSpawned)(Init{}).Good().Exit(0);
    EXPECT_EQ(tell.status(), "done");
    EXPECT_EQ(tell.state().error, "");
  };
  Tell done;
  done.Running().Good().Exit(0);
  withdraw(done);
  Tell failed;
  failed.Running().Bad().Exit(1);
  EXPECT_EQ(failed.status(), "failed");
  withdraw(failed);
  Tell interrupted;
  interrupted.Running().Event(Kind::kInterruptAsked, "user").Exit(0);
  EXPECT_EQ(interrupted.status(), "interrupted");
  withdraw(interrupted);
  Tell not_started;
  not_started.Event(Kind::kTurnAsked).Event(Kind::kStartFailed, "", "no file");
  EXPECT_EQ(not_started.status(), "failed");
  withdraw(not_started);
}

TEST(ReduceTest, TurnWithdrawnAfterAProcessThatEndedBeforeIt) {
  Tell tell;
  tell.Running().Good();
  // The process takes no more prompts, and exits.
  tell(Lifecycle{.kind = Kind::kTurnAsked, .generation = 0}).Exit(0);
  EXPECT_EQ(tell.status(), "queued");
  tell.Event(Kind::kCancelled)(
      Result{.is_error = true, .error = "cancelled", .synthetic = true});
  EXPECT_EQ(tell.status(), "done");
  EXPECT_EQ(tell.state().error, "");
  EXPECT_EQ(tell.state().result->text, "answer");
}

TEST(ReduceTest, CancelledStaysCancelled) {
  Tell tell;
  tell.Event(Kind::kCreated)
      .Event(Kind::kTurnAsked)
      .Event(Kind::kCancelled)(
          Result{.is_error = true, .error = "cancelled", .synthetic = true});
  EXPECT_EQ(tell.status(), "cancelled");
  EXPECT_EQ(tell.Event(Kind::kCancelled).status(), "cancelled");
}

TEST(ReduceTest, StopBeforeTheStartIsAtOnce) {
  Tell tell;
  tell.Event(Kind::kTurnAsked).Event(Kind::kStopAsked, "user");
  EXPECT_EQ(tell.status(), "interrupted");
  EXPECT_EQ(tell.Bad().status(), "interrupted");
  EXPECT_EQ(tell.state().error, "interrupted by user");
}

TEST(ReduceTest, StopOfWhatHasEndedChangesNothing) {
  Tell tell;
  tell.Running().Good().Exit(0).Event(Kind::kStopAsked, "user");
  EXPECT_EQ(tell.status(), "done");
  EXPECT_EQ(tell.state().ending, Ending());
}

TEST(ReduceTest, ApprovalsAndQuestionsUntilAllAreAnswered) {
  Tell tell;
  tell.Running()(Approval{.id = "a", .tool_name = "Bash"});
  EXPECT_EQ(tell.status(), "awaiting_approval");
  EXPECT_EQ(tell(Question{.id = "q", .items = {{.text = "?"}}}).status(),
            "awaiting_approval");
  tell(Approval{.id = "b"})(
      Approval{.id = "a", .state = Approval::State::kAllowed});
  EXPECT_EQ(tell(Text{"meanwhile"}).status(), "awaiting_approval");
  EXPECT_THAT(tell.state().approvals, SizeIs(1));
  tell(Approval{.id = "b", .state = Approval::State::kDenied});
  EXPECT_EQ(tell.status(), "awaiting_answer");
  EXPECT_EQ(tell.state().questions.at("q").request.items[0].text, "?");
  tell(Question{.id = "q", .state = Question::State::kAnswered});
  EXPECT_EQ(tell.status(), "running");
}

TEST(ReduceTest, WhatIsAskedBetweenTwoTurnsGoesBackToIdle) {
  Tell tell;
  EXPECT_EQ(tell.Running().Good()(Approval{.id = "a"}).status(),
            "awaiting_approval");
  tell(Approval{.id = "a", .state = Approval::State::kCancelled});
  EXPECT_EQ(tell.status(), "idle");
}

TEST(ReduceTest, EndOfTheProcessDropsWhatWaits) {
  Tell tell;
  tell.Running()(Approval{.id = "a"}).Exit(1);
  EXPECT_THAT(tell.state().approvals, IsEmpty());
}

TEST(ReduceTest, AnAcceptedAnswerStaysUntilItIsDelivered) {
  Tell tell;
  Approval approval = {.id = "a",
                       .tool_name = "Bash",
                       .input_json = "{}",
                       .choices = {"approve", "deny"}};
  tell.Running()(approval);
  approval.state = Approval::State::kDenied;
  approval.input_json.clear();
  approval.reason = "no";
  approval.choice = "deny";
  approval.by = "user";
  approval.via = "terminal";
  approval.delivery = Delivery::kAccepted;
  EXPECT_EQ(tell(approval).status(), "awaiting_approval");
  const Pending<Approval>& pending = tell.state().approvals.at("a");
  EXPECT_TRUE(pending.answered);
  EXPECT_EQ(pending.request.input_json, "{}");
  EXPECT_EQ(pending.request.choice, "deny");
  EXPECT_EQ(pending.request.reason, "no");
  EXPECT_EQ(pending.request.delivery, Delivery::kAccepted);
  approval.delivery = Delivery::kDelivered;
  EXPECT_EQ(tell(approval).status(), "running");
  EXPECT_THAT(tell.state().approvals, IsEmpty());
  ASSERT_THAT(tell.state().settled, SizeIs(1));
  EXPECT_EQ(tell.state().settled[0],
            (Settled{.id = "a",
                     .choice = "deny",
                     .text = "no",
                     .by = "user",
                     .via = "terminal",
                     .delivery = Delivery::kDelivered}));
  for (int i = 0; i < 100; ++i) tell(approval);
  EXPECT_THAT(tell.state().settled, SizeIs(32));
}

TEST(ReduceTest, AgentMayBeginATurnByItself) {
  Tell tell;
  EXPECT_EQ(tell.Running().Good()(ToolResult{}).status(), "idle");
  EXPECT_EQ(tell(Text{"the build is done"}).status(), "running");
  EXPECT_EQ(tell.Good().status(), "idle");
  EXPECT_EQ(tell.state().turns, 1);
}

TEST(ReduceTest, TurnAskedForWhileTheLastProcessStillEnds) {
  Tell tell;
  tell.Running().Good()(Lifecycle{.kind = Kind::kTurnAsked});
  EXPECT_EQ(tell.status(), "queued");
  EXPECT_EQ(tell.Exit(0).status(), "queued");
  EXPECT_EQ(tell.Event(Kind::kSpawned)(Text{"hi"}).status(), "running");
  EXPECT_EQ(tell.Good().Exit(0).status(), "done");
}

TEST(ReduceTest, InputAfterTheEndStartsAnotherTurn) {
  for (const int code : {0, 1}) {
    Tell tell;
    tell.Running();
    (code == 0 ? tell.Good() : tell.Bad()).Exit(code).Event(Kind::kTurnAsked);
    EXPECT_EQ(tell.status(), "queued");
    EXPECT_THAT(tell.state().error, IsEmpty());
    EXPECT_FALSE(tell.state().ended.has_value());
  }
}

TEST(ReduceTest, SubagentsChangeNothing) {
  Tell tell;
  TaskState before = tell.Running().Good().state();
  TaskState after = before;
  for (Payload payload : {Payload(Text{"x"}), Payload(Result{}),
                          Payload(Usage{.total = {.input = 9}})}) {
    Reduce({.parent_tool_use_id = "t", .payload = std::move(payload)}, &after);
  }
  EXPECT_EQ(after, before);
}

TEST(ReduceTest, WhatASubagentAsksOutlivesTheTurn) {
  Tell tell;
  TaskState state = tell.Running().state();
  const auto take = [&](absl::string_view parent, Payload payload) {
    Reduce({.parent_tool_use_id = std::string(parent),
            .payload = std::move(payload)},
           &state);
  };
  take("", Approval{.id = "main"});
  take("t", Approval{.id = "sub"});
  take("", Result{});
  EXPECT_EQ(state.status, TaskStatus::kAwaitingApproval);
  EXPECT_FALSE(state.turn_open);
  ASSERT_EQ(state.approvals.size(), 1u);
  EXPECT_TRUE(state.approvals.contains("sub"));
  take("t", Approval{.id = "sub", .state = Approval::State::kAllowed});
  EXPECT_EQ(state.status, TaskStatus::kIdle);
  EXPECT_TRUE(state.approvals.empty());
}

TEST(ReduceTest, SubagentsThatRunAreKnownUntilTheProcessEnds) {
  Tell tell;
  tell.Running()(Subagent{.id = "a"})(Subagent{.id = "b"});
  tell(Subagent{.phase = Subagent::Phase::kEnded, .id = "a"});
  EXPECT_EQ(tell.state().subagents, std::set<std::string>({"b"}));
  tell.Good().Exit(0);
  EXPECT_TRUE(tell.state().subagents.empty());
}

TEST(ReduceTest, CommandsInTheBackgroundKeepAProcessAsSubagentsDo) {
  const auto notice = [](std::string text) {
    return Notice{.kind = Notice::Kind::kBackgroundTask,
                  .text = std::move(text)};
  };
  Tell tell;
  tell.Running()(notice("started: b1: make: all"));
  EXPECT_EQ(tell.state().subagents, std::set<std::string>({"command b1"}));
  tell(notice("updated: failed: b1: make all"));
  EXPECT_EQ(tell.state().subagents.size(), 1);
  tell(notice("notification: failed: b1: make all failed"));
  EXPECT_TRUE(tell.state().subagents.empty());
}

TEST(ReduceTest, UsageAndSession) {
  Tell tell;
  tell.Running()(Usage{.total = {.input = 5, .output = 2},
                       .total_cost = {0.5, CostSource::kReported}});
  EXPECT_EQ(tell.state().usage, (TokenCounts{.input = 5, .output = 2}));
  EXPECT_EQ(tell.state().cost_usd, 0.5);
  EXPECT_EQ(tell.state().session_id, "s");
  EXPECT_THAT(StateText(tell.state()), HasSubstr("usage.input: 5\n"));
}

TEST(ReduceTest, OutcomeSaysHowTheLastTurnEnded) {
  Tell tell;
  EXPECT_EQ(tell.Running().state().outcome, std::nullopt);
  EXPECT_EQ(tell.Good().state().outcome, TurnOutcome::kDone);
  EXPECT_EQ(tell(Result{.denial_count = 1}).state().outcome,
            TurnOutcome::kDenied);
  EXPECT_EQ(tell.status(), "idle");
  EXPECT_EQ(tell.Bad().state().outcome, TurnOutcome::kFailed);
  tell.Event(Kind::kTurnAsked).Event(Kind::kInterruptAsked, "user");
  EXPECT_EQ(tell.Bad().state().outcome, TurnOutcome::kInterrupted);
  EXPECT_EQ(tell.Exit(0).status(), "interrupted");
  EXPECT_EQ(tell.state().outcome, TurnOutcome::kInterrupted);
}

TEST(ReduceTest, InterruptThatCameTooLateChangesNoOutcome) {
  Tell tell;
  tell.Running().Event(Kind::kInterruptAsked, "user").Good();
  EXPECT_EQ(tell.state().outcome, TurnOutcome::kDone);
}

TEST(ReduceTest, DeadlineMakesAGoodResultAFailure) {
  Tell tell;
  tell.Running().Event(Kind::kDeadline, "deadline", "too late").Good();
  EXPECT_EQ(tell.state().outcome, TurnOutcome::kFailed);
}

TEST(ReduceTest, ProcessThatIsLostAfterAGoodTurnIsAFailure) {
  Tell tell;
  tell.Running().Good().Event(Kind::kLost, "", "gone");
  EXPECT_EQ(tell.status(), "failed");
  EXPECT_EQ(tell.state().outcome, TurnOutcome::kFailed);
}

TEST(ReduceTest, StopAfterAGoodTurnLeavesItsOutcome) {
  Tell tell;
  tell.Running()(Result{.denial_count = 1}).Event(Kind::kStopAsked, "user");
  EXPECT_EQ(tell.Exit(143).status(), "interrupted");
  EXPECT_EQ(tell.state().outcome, TurnOutcome::kDenied);
}

TEST(ReduceTest, CancelledTaskHasNoOutcome) {
  Tell tell;
  tell.Event(Kind::kCreated).Event(Kind::kTurnAsked).Event(Kind::kCancelled);
  tell(Result{.is_error = true, .error = "cancelled", .synthetic = true});
  EXPECT_EQ(tell.status(), "cancelled");
  EXPECT_EQ(tell.state().outcome, std::nullopt);
}

}  // namespace
}  // namespace troika
