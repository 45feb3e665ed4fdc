#include "agent/usage_meter.h"

#include "gtest/gtest.h"

namespace troika {
namespace {

TokenCounts Counts(int64_t input, int64_t output) {
  return {.input = input, .output = output};
}

TEST(UsageMeterTest, TotalsOfAThreadGiveItsTurns) {
  UsageMeter meter{Continuation()};
  EXPECT_EQ(meter.AdvanceTo(Counts(42, 5)).turn, Counts(42, 5));
  const Usage second = meter.AdvanceTo(Counts(84, 9));
  EXPECT_EQ(second.turn, Counts(42, 4));
  EXPECT_EQ(second.total, Counts(84, 9));
  Continuation next;
  meter.WriteTo(&next);
  EXPECT_EQ(UsageMeter(next).AdvanceTo(Counts(126, 9)).turn, Counts(42, 0));
}

TEST(UsageMeterTest, UnknownBaseGivesNoTurn) {
  UsageMeter meter{Continuation{.total_known = false}};
  const Usage first = meter.AdvanceTo(Counts(84, 9));
  EXPECT_EQ(first.turn, std::nullopt);
  EXPECT_EQ(first.total, Counts(84, 9));
  EXPECT_EQ(meter.AdvanceTo(Counts(100, 10)).turn, Counts(16, 1));
}

TEST(UsageMeterTest, TurnsAddUpWithTheirCosts) {
  UsageMeter meter{Continuation()};
  meter.AddReportedCost(0.5);
  EXPECT_EQ(meter.AddTurn(Counts(1, 2)).turn_cost.usd, 0.5);
  const Usage second = meter.AddTurn(Counts(10, 20));
  EXPECT_EQ(second.turn_cost.source, CostSource::kNone);
  EXPECT_EQ(second.total, Counts(11, 22));
  EXPECT_EQ(second.total_cost.usd, 0.5);
}

TEST(UsageMeterTest, CountsAreKeptInRange) {
  EXPECT_EQ(TokenCount(std::nullopt), 0);
  EXPECT_EQ(TokenCount(-5), 0);
  EXPECT_EQ(TokenCount(5), 5);
  EXPECT_EQ(TokenCount(INT64_MAX), 1'000'000'000'000);
}

TEST(UsageMeterTest, ShrinkingTotalsNeverGoBelowZero) {
  UsageMeter meter{Continuation()};
  (void)meter.AdvanceTo(Counts(100, 10));
  EXPECT_EQ(meter.AdvanceTo(Counts(50, 20)).turn, Counts(0, 10));
}

}  // namespace
}  // namespace troika
