#include "agent/price_table.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika {
namespace {

using ::testing::HasSubstr;

constexpr absl::string_view kPrices = R"({
  "gpt": {"input": 1, "output": 10},
  "gpt-5": {"input": 2, "cached": 0.5, "cacheWrite": 3, "output": 20},
  "gpt-5-mini": {"input": 0, "output": 0}
})";
constexpr TokenCounts kCounts = {.input = 1000000,
                                 .cached = 2000000,
                                 .cache_write = 1000000,
                                 .output = 500000,
                                 .reasoning = 400000};

PriceTable Table(absl::string_view text = kPrices) {
  absl::StatusOr<PriceTable> table = PriceTable::Parse(text);
  EXPECT_TRUE(table.ok()) << table.status();
  return *std::move(table);
}

TEST(PriceTableTest, LongestPrefixWins) {
  const PriceTable table = Table();
  EXPECT_EQ(table.Estimate("gpt-5.1-codex", kCounts), 2 + 1 + 3 + 10);
  EXPECT_EQ(table.Estimate("gpt-4", kCounts), 1 + 2 + 1 + 5);
  EXPECT_EQ(table.Estimate("gpt-5-mini", kCounts), 0);
  EXPECT_EQ(table.Estimate("gp", kCounts), std::nullopt);
  EXPECT_EQ(table.Estimate("", kCounts), std::nullopt);
  EXPECT_EQ(Table("{}").Estimate("gpt", kCounts), std::nullopt);
  EXPECT_EQ(Table(R"({"":{"input":1,"output":0}})").Estimate("x", kCounts), 4);
}

TEST(PriceTableTest, ErrorsSayWhatIsWrong) {
  const struct {
    absl::string_view text, error;
  } kCases[] = {
      {"", "empty"},
      {"[]", "not array"},
      {R"({"m":1})", "prices of \"m\": not an object"},
      {R"({"m":{"input":1}})", "input and output are needed"},
      {R"({"m":{"input":1,"output":-1}})", "output is not a number"},
      {R"({"m":{"input":"1","output":1}})", "input is not a number"},
      {R"({"m":{"cache":1}})", "unknown price \"cache\"; there are: input"},
      {R"({"m":{"input":1,"output":1},"m":{"input":2,"output":1}})", "twice"},
  };
  for (const auto& c : kCases) {
    const auto table = PriceTable::Parse(c.text);
    ASSERT_FALSE(table.ok()) << c.text;
    EXPECT_THAT(std::string(table.status().message()),
                HasSubstr(std::string(c.error)));
  }
}

class CostEstimatorTest : public ::testing::Test {
 protected:
  template <typename P>
  P Apply(P payload) {
    Message message{.payload = std::move(payload)};
    estimator_.Apply(&message);
    return std::get<P>(message.payload);
  }
  Usage UsageOf(int64_t input) {
    return {.turn = TokenCounts{.input = input * 1000000}};
  }

  CostEstimator estimator_{Table(), {}};
};

TEST_F(CostEstimatorTest, AddsUpTurns) {
  Apply(Init{.model = "gpt-4"});
  EXPECT_EQ(Apply(UsageOf(1)).total_cost.usd, 1);
  EXPECT_EQ(Apply(UsageOf(2)).total_cost.usd, 2);
  Result result = Apply(Result{.usage = UsageOf(3)});
  EXPECT_EQ(result.usage.turn_cost.usd, 3);
  EXPECT_EQ(result.usage.turn_cost.source, CostSource::kEstimated);
  EXPECT_EQ(result.usage.total_cost.usd, 3);
  Apply(Init{.model = "gpt-5"});
  result = Apply(Result{.usage = UsageOf(1)});
  EXPECT_EQ(result.usage.turn_cost.usd, 2);
  EXPECT_EQ(result.usage.total_cost.usd, 5);
  EXPECT_EQ(result.usage.total_cost.source, CostSource::kEstimated);
}

TEST_F(CostEstimatorTest, ReportedCostsStay) {
  Apply(Init{.model = "gpt-4"});
  Usage usage = UsageOf(1);
  usage.turn_cost = {.usd = 7, .source = CostSource::kReported};
  usage.total_cost = {.usd = 9, .source = CostSource::kReported};
  const Result result = Apply(Result{.usage = usage});
  EXPECT_EQ(result.usage.turn_cost.usd, 7);
  EXPECT_EQ(result.usage.turn_cost.source, CostSource::kReported);
  EXPECT_EQ(result.usage.total_cost.usd, 9);
}

TEST_F(CostEstimatorTest, WhatIsUnknownStaysOpen) {
  EXPECT_EQ(Apply(Result{}).usage.turn_cost.source, CostSource::kNone);
  Apply(Init{.model = "other"});
  EXPECT_EQ(Apply(Result{.usage = UsageOf(1)}).usage.turn_cost.source,
            CostSource::kNone);
  Apply(Init{.model = "gpt"});
  const Result result = Apply(Result{.usage = UsageOf(1)});
  EXPECT_EQ(result.usage.turn_cost.usd, 1);
  EXPECT_EQ(result.usage.total_cost.source, CostSource::kNone)
      << "a turn before it has no price";
}

TEST_F(CostEstimatorTest, TotalOfAConversationBegunElsewhereIsUnknown) {
  CostEstimator estimator(Table(R"({"":{"input":1,"output":1}})"),
                          {.total_known = false});
  Message message{.payload = UsageOf(1)};
  estimator.Apply(&message);
  const Usage& usage = std::get<Usage>(message.payload);
  EXPECT_EQ(usage.turn_cost.source, CostSource::kEstimated);
  EXPECT_EQ(usage.total_cost.source, CostSource::kNone);
}

TEST_F(CostEstimatorTest, SubagentsDoNotSetTheModel) {
  Apply(Init{.model = "gpt-4"});
  Message message{.parent_tool_use_id = "t", .payload = Init{.model = "other"}};
  estimator_.Apply(&message);
  EXPECT_EQ(Apply(UsageOf(1)).turn_cost.usd, 1);
}

}  // namespace
}  // namespace troika
