#include "task/hook_events.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "task/reduce.h"
#include "task/testing.h"

namespace troika {
namespace {

using Kind = Lifecycle::Kind;

class HookEventsTest : public testing::Test {
 protected:
  HookEventsTest() {
    Event(Kind::kCreated);
    Event(Kind::kTurnAsked);
  }

  void Tell(Payload payload, std::string parent = "") {
    const Message message = {.id = {++record_, 0},
                             .time = absl::FromUnixSeconds(record_),
                             .parent_tool_use_id = std::move(parent),
                             .payload = std::move(payload)};
    Reduce(message, &state_);
    if (auto event = finder_.OnMessage(message, state_)) {
      events_.push_back(*std::move(event));
    }
  }
  void Event(Kind kind, std::string by = "") {
    const bool taken = kind == Kind::kTurnAsked && state_.process_alive;
    Tell(Lifecycle{.kind = kind,
                   .generation = kind == Kind::kSpawned || taken ? 1 : 0,
                   .by = std::move(by)});
  }
  void Exit(int code) {
    Tell(Lifecycle{.kind = Kind::kExited,
                   .text = absl::StrCat("exited with code ", code),
                   .exit_code = code});
  }
  // "done 5.0 hello", and so on.
  std::string Found() const {
    return absl::StrJoin(events_, " | ", [](std::string* out, const auto& e) {
      absl::StrAppend(out, NameOf(e.kind), " ", EventIdText(e.id), " ", e.text);
    });
  }

  int64_t record_ = 0;
  TaskState state_;
  HookEventFinder finder_;
  std::vector<HookEvent> events_;
};

TEST_F(HookEventsTest, ATurnIsToldOnce) {
  Event(Kind::kSpawned);
  Tell(Result{.text = "hello", .denial_count = 1});
  Exit(0);
  EXPECT_EQ(Found(), "done 4.0 hello");
  EXPECT_EQ(events_[0].turn, 1);
  EXPECT_EQ(events_[0].outcome, TurnOutcome::kDenied);
  EXPECT_EQ(events_[0].time, absl::FromUnixSeconds(4));
}

TEST_F(HookEventsTest, EachTurnOfOneProcess) {
  Event(Kind::kSpawned);
  Tell(Result{.text = "one"});
  Event(Kind::kTurnAsked);
  Tell(Result{.text = "sub"}, "t1");
  Tell(Result{.is_error = true, .error = "broken", .hint = "mend it"});
  Exit(1);
  EXPECT_EQ(Found(), "done 4.0 one | failed 7.0 broken; mend it");
}

TEST_F(HookEventsTest, ATurnThatWasAskedForWhileAnotherRan) {
  Event(Kind::kSpawned);
  Event(Kind::kTurnAsked);
  Tell(Result{.text = "one"});
  Tell(Text{.text = "more"});
  Tell(Result{.text = "two"});
  EXPECT_EQ(Found(), "done 5.0 one | done 7.0 two");
}

TEST_F(HookEventsTest, NoMoreEndsThanTurns) {
  Event(Kind::kSpawned);
  for (int i = 0; i < 100; ++i) {
    Tell(Result{.text = "good"});
    Tell(Text{.text = "more"});
    Tell(Result{.is_error = true, .error = "bad"});
  }
  EXPECT_EQ(Found(), "done 4.0 good | failed 6.0 bad");
}

TEST_F(HookEventsTest, AProcessThatThenEndsBadlyHasFailed) {
  Event(Kind::kSpawned);
  Tell(Text{.text = "half"});
  Exit(3);
  EXPECT_EQ(Found(), "failed 5.0 exited with code 3");
  Tell(Result{.is_error = true, .error = "late", .synthetic = true});
  EXPECT_EQ(events_.size(), 1u);
}

TEST_F(HookEventsTest, InterruptedAndCancelled) {
  Event(Kind::kSpawned);
  Event(Kind::kInterruptAsked, "user");
  Tell(Result{.is_error = true, .error = "aborted"});
  Exit(1);
  EXPECT_EQ(Found(), "interrupted 5.0 interrupted by user");
  events_.clear();
  state_ = {};
  finder_ = {};
  Event(Kind::kTurnAsked);
  Event(Kind::kCancelled);
  EXPECT_EQ(Found(), "cancelled 8.0 ");
}

TEST_F(HookEventsTest, WhatIsAskedIsToldOnceAndASubagentsToo) {
  Event(Kind::kSpawned);
  Approval asked = {.id = "a1",
                    .tool_name = "Bash",
                    .kind = Approval::Kind::kCommandLine,
                    .command = "rm x"};
  Tell(asked, "t1");
  // Sent again, because the rules leave it to a person.
  asked.explanation = "it redirects output";
  Tell(asked, "t1");
  Tell(Question{.id = "q1", .items = {{.text = "Which?"}}});
  EXPECT_EQ(Found(), "asking 4.0 rm x | asking 6.0 Which?");
  EXPECT_EQ(events_[0].asked, "a1");
  EXPECT_EQ(events_[0].approval, Approval::Kind::kCommandLine);
  EXPECT_EQ(events_[1].approval, std::nullopt);
}

TEST_F(HookEventsTest, ABudgetThatEndsATurnIsNoInterrupt) {
  Event(Kind::kSpawned);
  Tell(Approval{.id = "budget-1",
                .reason = "100 of 100 tokens",
                .kind = Approval::Kind::kBudget});
  Event(Kind::kInterruptAsked, "budget");
  Tell(Result{.is_error = true, .error = "aborted"});
  Exit(1);
  EXPECT_EQ(Found(), "budget 4.0 100 of 100 tokens");
}

TEST_F(HookEventsTest, AnImportedTaskTellsNothing) {
  state_.imported_from = "/sessions/x.jsonl";
  Tell(Result{.text = "old"});
  EXPECT_EQ(Found(), "");
}

}  // namespace
}  // namespace troika
