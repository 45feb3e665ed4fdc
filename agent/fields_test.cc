#include "agent/fields.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika {
namespace {

using ::testing::ElementsAre;

struct Item {
  absl::string_view id;
  std::optional<int64_t> count;
  std::optional<double> share;
  std::optional<bool> done;
  json::Value any;
};

constexpr RecordField<Item> kItemFields[] = {
    {"id", &Item::id},     {"count", &Item::count}, {"share", &Item::share},
    {"done", &Item::done}, {"any", &Item::any},     {"ignored"},
};

std::vector<std::string> What(const Drift& drift) {
  std::vector<std::string> what;
  for (const Drift::Entry& e : drift.Entries()) what.push_back(e.what);
  return what;
}

TEST(FieldsTest, ReadsInAnyOrder) {
  json::Parser parser;
  Drift drift;
  for (
      const absl::string_view text :
      {R"({"id":"a","count":3,"share":0.5,"done":true,"any":[1],"ignored":0})",
       R"({"ignored":{},"any":[1],"done":true,"share":0.5,"count":3,"id":"a"})"}) {
    Item item;
    ReadFields(*parser.Parse(text), kItemFields, {&drift, "item"}, &item);
    EXPECT_EQ(item.id, "a");
    EXPECT_EQ(item.count, 3);
    EXPECT_EQ(item.share, 0.5);
    EXPECT_EQ(item.done, true);
    EXPECT_EQ(item.any.ToJson(), "[1]");
  }
  EXPECT_THAT(What(drift), ElementsAre());
}

TEST(FieldsTest, UnknownAndMistypedFieldsAreReportedAndLeftOut) {
  json::Parser parser;
  Drift drift;
  Item item;
  ReadFields(
      *parser.Parse(R"({"id":7,"count":"x","share":null,"done":[],"new":1})"),
      kItemFields, {&drift, "item"}, &item);
  EXPECT_EQ(item.id, "");
  EXPECT_EQ(item.count, std::nullopt);
  EXPECT_EQ(item.done, std::nullopt);
  EXPECT_THAT(
      What(drift),
      ElementsAre("field item.count is a string", "field item.done is a array",
                  "field item.id is a number", "field item.new"));
}

TEST(FieldsTest, FirstOfRepeatedKeysCounts) {
  json::Parser parser;
  Item item;
  ReadFields(*parser.Parse(R"({"id":"a","id":"b"})"), kItemFields, {}, &item);
  EXPECT_EQ(item.id, "a");
}

TEST(FieldsTest, TypeWithoutMembersFindsDrift) {
  struct Nothing {};
  constexpr RecordField<Nothing> kNothingFields[] = {{"known, as well"}};
  json::Parser parser;
  Drift drift;
  Nothing nothing;
  ReadFields(*parser.Parse(R"({"known":{},"new":1,"as well":2})"),
             kNothingFields, {&drift, "item"}, &nothing);
  EXPECT_THAT(What(drift), ElementsAre("field item.new"));
}

TEST(FieldsTest, DurationsAreMilliseconds) {
  struct Step {
    std::optional<absl::Duration> took;
    std::optional<absl::Duration> waited;
  };
  constexpr RecordField<Step> kStepFields[] = {{"took", &Step::took},
                                               {"waited", &Step::waited}};
  json::Parser parser;
  Step step;
  ReadFields(*parser.Parse(R"({"took":1.5,"waited":"1"})"), kStepFields, {},
             &step);
  EXPECT_EQ(step.took, absl::Microseconds(1500));
  EXPECT_EQ(step.waited, std::nullopt);
}

TEST(FieldsTest, NotAnObjectHasNoFields) {
  json::Parser parser;
  Item item;
  ReadFields(*parser.Parse("[1]"), kItemFields, {}, &item);
  ReadFields(json::Value(), kItemFields, {}, &item);
  EXPECT_EQ(item.id, "");
}

}  // namespace
}  // namespace troika
