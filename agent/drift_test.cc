#include "agent/drift.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace troika {
namespace {

TEST(DriftTest, CountsMostFrequentFirst) {
  Drift drift;
  drift.set_record(3);
  drift.UnknownType("type", "turn.paused");
  drift.set_record(5);
  drift.UnknownField("item", "colour");
  drift.set_record(9);
  drift.UnknownField("item", "colour");
  drift.WrongType("usage", "input_tokens", "string");
  const std::vector<Drift::Entry> entries = drift.Entries();
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0].what, "field item.colour");
  EXPECT_EQ(entries[0].count, 2);
  EXPECT_EQ(entries[0].first_record, 5);
  EXPECT_EQ(entries[1].what, "field usage.input_tokens is a string");
  EXPECT_EQ(entries[2].what, "type  type = turn.paused");
}

TEST(DriftTest, KeepsABoundedNumber) {
  Drift drift;
  for (int i = 0; i < 5000; ++i) drift.UnknownField("x", absl::StrCat(i));
  const std::vector<Drift::Entry> entries = drift.Entries();
  EXPECT_EQ(entries.size(), Drift::kMaxEntries + 1);
  EXPECT_EQ(entries[0].what, "others");
  EXPECT_EQ(entries[0].count, 4000);
}

}  // namespace
}  // namespace troika
