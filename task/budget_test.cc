#include "task/budget.h"

#include <cmath>
#include <limits>
#include <string>

#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "task/answer.h"
#include "task/budget_flags.h"
#include "task/inputs.h"
#include "task/reduce.h"

namespace troika {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

Usage Tokens(int64_t total) {
  return {.turn = TokenCounts{.input = total}, .total = {.input = total}};
}

TEST(BudgetTest, WhatWasUsedNeverFallsAndSaturates) {
  TaskState state;
  const absl::Time now = absl::FromUnixSeconds(900 * 10);
  CountUse(Tokens(100), now, &state);
  CountUse(Tokens(10), now, &state);
  EXPECT_EQ(OwnUse(state, notes::BudgetKind::kTokens), 100);
  CountUse({.total = {.input = kMost, .output = kMost}}, now, &state);
  EXPECT_EQ(OwnUse(state, notes::BudgetKind::kTokens), kMost);
  CountSubtask({.task = "a", .tokens = kMost}, &state);
  EXPECT_EQ(OwnUse(state, notes::BudgetKind::kTokens), kMost);
  for (const double usd : {-5.0, std::nan(""), 1e300}) {
    Usage usage = Tokens(1);
    usage.total_cost = {.usd = usd, .source = CostSource::kReported};
    CountUse(usage, now, &state);
    EXPECT_GE(*OwnUse(state, notes::BudgetKind::kCost), 0);
  }
  EXPECT_THAT(state.budget.spent, SizeIs(1));
  EXPECT_EQ(state.budget.spent[0].slot, 10);
}

TEST(BudgetTest, WhatASessionHadUsedBeforeDoesNotCount) {
  TaskState state;
  state.budget.has_history = true;
  Usage first = Tokens(5000);
  first.turn.reset();
  CountUse(first, absl::UnixEpoch(), &state);
  EXPECT_EQ(OwnUse(state, notes::BudgetKind::kTokens), 0);
  CountUse(Tokens(5100), absl::UnixEpoch(), &state);
  EXPECT_EQ(OwnUse(state, notes::BudgetKind::kTokens), 100);
}

TEST(BudgetTest, AnUnknownCostIsNoAmount) {
  TaskState state;
  state.budget.limits = {.cost_microusd = 1};
  CountUse(Tokens(10), absl::UnixEpoch(), &state);
  EXPECT_THAT(AmountsOf(state), IsEmpty());
  CountSubtask({.task = "a", .tokens = 1, .cost_microusd = 2}, &state);
  ASSERT_THAT(AmountsOf(state), SizeIs(1));
  EXPECT_TRUE(IsUsedUp(AmountsOf(state)[0]));
}

TEST(BudgetTest, AGrantIsAsMuchAgain) {
  TaskState state;
  state.budget.limits = {.tokens = 100};
  CountUse(Tokens(250), absl::UnixEpoch(), &state);
  ASSERT_TRUE(IsUsedUp(AmountsOf(state)[0]));
  state.budget.reached = AmountsOf(state);
  GrantBudget(&state);
  EXPECT_EQ(AmountsOf(state)[0].used, 0);
  CountUse(Tokens(335), absl::UnixEpoch(), &state);
  EXPECT_FALSE(IsUsedUp(AmountsOf(state)[0]));
  EXPECT_TRUE(IsNearlyUsedUp(AmountsOf(state)[0]));
  CountUse(Tokens(350), absl::UnixEpoch(), &state);
  EXPECT_TRUE(IsUsedUp(AmountsOf(state)[0]));
}

TEST(BudgetTest, ASubtaskGetsWhatIsLeft) {
  TaskState state;
  state.budget.limits = {.tokens = 100, .time_ms = 5000};
  CountUse(Tokens(30), absl::UnixEpoch(), &state);
  const notes::Budget left =
      LimitsWithin(state, {.cost_microusd = 7, .tokens = 90});
  EXPECT_EQ(left,
            (notes::Budget{.cost_microusd = 7, .tokens = 70, .time_ms = 5000}));
  CountUse(Tokens(130), absl::UnixEpoch(), &state);
  EXPECT_EQ(LimitsWithin(state, {}).tokens, 1);
}

TEST(BudgetTest, ASubtaskGetsACostThatNobodyHasToldYet) {
  TaskState state;
  state.budget.limits = {.cost_microusd = 2000};
  EXPECT_EQ(LimitsWithin(state, {}).cost_microusd, 2000);
  EXPECT_EQ(LimitsWithin(state, {.cost_microusd = 7}).cost_microusd, 7);
}

TEST(BudgetTest, ManySubtasksAreCountedTogether) {
  TaskState state;
  for (int i = 0; i < 3000; ++i) {
    CountSubtask({.task = std::to_string(i), .tokens = 1}, &state);
  }
  EXPECT_EQ(OwnUse(state, notes::BudgetKind::kTokens), 3000);
  EXPECT_LE(state.budget.subtasks.size(), 1001u);
}

TEST(BudgetTest, AnAgentCannotTakeThePlaceOfTheQuestion) {
  TaskState state;
  const auto reduce = [&](Payload payload) {
    Reduce({.payload = std::move(payload)}, &state);
  };
  reduce(BudgetApproval({.number = 1, .reached = {{.limit = 5}}}));
  EXPECT_EQ(state.status, TaskStatus::kAwaitingApproval);
  reduce(Approval{.id = "budget-1", .tool_name = "Bash"});
  EXPECT_TRUE(AsksForBudget(state));
  reduce(Approval{.id = "budget-1", .state = Approval::State::kCancelled});
  reduce(Result{});
  reduce(Lifecycle{.kind = Lifecycle::Kind::kExited});
  EXPECT_TRUE(AsksForBudget(state));
  EXPECT_EQ(state.status, TaskStatus::kAwaitingApproval);
  EXPECT_EQ(state.approvals.at("budget-1").request.kind,
            Approval::Kind::kBudget);
}

TEST(BudgetTest, Text) {
  const Approval asked =
      BudgetApproval({.number = 3,
                      .reached = {{.kind = notes::BudgetKind::kCost,
                                   .used = 2'340'000,
                                   .limit = 2'000'000},
                                  {.scope = "2026-11-17",
                                   .kind = notes::BudgetKind::kTokens,
                                   .used = 12,
                                   .limit = 10}}});
  EXPECT_EQ(asked.id, "budget-3");
  EXPECT_EQ(
      asked.reason,
      "the task has used $2.34 of $2.00, and all tasks of 2026-11-17 have "
      "used 12 of 10 tokens. Approve to let the task go on and use as "
      "much again ($2.00, 10 tokens); deny to leave it stopped.");
  EXPECT_THAT(asked.choices, ElementsAre("approve", "deny"));
}

TEST(BudgetTest, Flags) {
  EXPECT_EQ(*ReadMicrousd("--max-cost", "2.50"), 2'500'000);
  EXPECT_EQ(*ReadMicrousd("--max-cost", "$0.1"), 100'000);
  EXPECT_EQ(*ReadTokens("--max-tokens", "200k"), 200'000);
  EXPECT_EQ(*ReadTokens("--max-tokens", "1.5M"), 1'500'000);
  for (const char* const bad : {"", "0", "-1", "nan", "inf", "1e99", "two"}) {
    EXPECT_THAT(ReadMicrousd("--max-cost", bad).status().message(),
                HasSubstr("--max-cost"))
        << bad;
    EXPECT_FALSE(ReadTokens("--max-tokens", bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace troika
