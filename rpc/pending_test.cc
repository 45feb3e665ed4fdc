#include "rpc/pending.h"

#include "gtest/gtest.h"

namespace troika::rpc {
namespace {

TEST(PendingTest, MatchesAResponseOnce) {
  Pending<> pending;
  EXPECT_TRUE(pending.Add({Id::FromInt(1), "a", "first"}));
  EXPECT_TRUE(pending.Add({Id::FromString("1"), "b", "second"}));
  EXPECT_FALSE(pending.Add({Id::FromInt(1), "c", "again"}));
  EXPECT_FALSE(pending.Add({Id(), "c", "no id"}));
  EXPECT_EQ(pending.open().size(), 2);

  EXPECT_FALSE(pending.Take(Id::FromInt(2)).has_value());
  const auto call = pending.Take(Id::FromInt(1));
  ASSERT_TRUE(call.has_value());
  EXPECT_EQ(call->method, "a");
  EXPECT_EQ(call->tag, "first");
  EXPECT_FALSE(pending.Take(Id::FromInt(1)).has_value());

  EXPECT_EQ(pending.Find(Id::FromInt(1)), nullptr);
  EXPECT_EQ(pending.Find(Id::FromString("1"))->tag, "second");
  EXPECT_EQ(pending.TakeAll().size(), 1);
  EXPECT_TRUE(pending.empty());
}

TEST(PendingTest, RefusesMoreThanItsLimit) {
  Pending<int> pending;
  for (size_t i = 0; i < Pending<int>::kMaxOpen; ++i) {
    ASSERT_TRUE(pending.Add({Id::FromInt(static_cast<int64_t>(i)), "m", 0}));
  }
  EXPECT_FALSE(pending.Add({Id::FromInt(-1), "m", 0}));
}

}  // namespace
}  // namespace troika::rpc
