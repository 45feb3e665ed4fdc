#include "cli/timeline/rules_pause.h"

#include "gtest/gtest.h"

namespace troika::cli {
namespace {

constexpr absl::Time kNow = absl::UnixEpoch();

TaskState Asking(const Approval& approval) {
  TaskState state;
  state.approvals[approval.id].request = approval;
  return state;
}

TEST(RulesPauseTest, APersonIsCalledIfTheRulesSayNothing) {
  RulesPause pause;
  const TaskState state =
      Asking({.id = "a", .kind = Approval::Kind::kCommandLine});
  EXPECT_FALSE(pause.PersonIsAsked(state, kNow));
  EXPECT_EQ(pause.wake_at(), kNow + RulesPause::kLength);
  EXPECT_FALSE(pause.PersonIsAsked(state, kNow + absl::Milliseconds(100)));
  EXPECT_TRUE(pause.PersonIsAsked(state, kNow + RulesPause::kLength));
  EXPECT_EQ(pause.wake_at(), absl::InfiniteFuture());
}

TEST(RulesPauseTest, NobodyIsCalledForWhatRulesAnswer) {
  RulesPause pause;
  TaskState state = Asking({.id = "a", .kind = Approval::Kind::kEdit});
  EXPECT_FALSE(pause.PersonIsAsked(state, kNow));
  state.approvals["a"].answered = true;
  EXPECT_FALSE(pause.PersonIsAsked(state, kNow + absl::Seconds(1)));
  EXPECT_EQ(pause.wake_at(), absl::InfiniteFuture());
}

TEST(RulesPauseTest, WhatIsLeftToAPersonIsAskedAtOnce) {
  RulesPause pause;
  EXPECT_TRUE(pause.PersonIsAsked(
      Asking(
          {.id = "a", .kind = Approval::Kind::kTool, .explanation = "no rule"}),
      kNow));
  EXPECT_TRUE(pause.PersonIsAsked(
      Asking({.id = "b", .kind = Approval::Kind::kPlan}), kNow));
  TaskState question;
  question.questions["q"];
  EXPECT_TRUE(pause.PersonIsAsked(question, kNow));
}

}  // namespace
}  // namespace troika::cli
