#include "relay/log_search.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "relay/log_format.h"
#include "relay/log_testing.h"

namespace troika::relay {
namespace {

using ::testing::IsEmpty;

// Makes a log of records and batches of many sizes, with the numbers 1 to
// `last`.
std::string ManySizes(int64_t last) {
  std::string bytes = HeaderLine("task1");
  int64_t number = 1;
  for (int64_t i = 0; number <= last; ++i) {
    if (i % 3 == 1 && number + 40 <= last) {
      std::string lines;
      for (int j = 0; j < 40; ++j) absl::StrAppend(&lines, number + j, "\n");
      AppendBatch({.number = number, .count = 40}, lines, &bytes);
      number += 40;
      continue;
    }
    const size_t size = i % 50 == 7 ? 30000 : static_cast<size_t>(i % 9) * 20;
    AppendRecord({.number = number,
                  .stream = Stream::kStdout,
                  .payload = absl::StrCat(number, " ", std::string(size, 'x'))},
                 &bytes);
    ++number;
  }
  return bytes;
}

// Starts a reader at the offset that was found for `number`, and returns the
// payload of that record, or "" if it does not come. `read` is the number of
// bytes that were read.
std::string Find(const std::string& bytes, int64_t number,
                 int64_t* read = nullptr) {
  LogReader reader(FileOf(bytes));
  const auto offset = FindRecord(reader.fd(), number);
  EXPECT_TRUE(offset.ok()) << offset.status();
  reader.SkipTo(*offset);
  CollectingSink told;
  int64_t more = 1;
  while (more > 0 && reader.last_record() < number) {
    const auto n = reader.Read(told, 1);
    EXPECT_TRUE(n.ok()) << n.status();
    more = n.value_or(0);
  }
  if (read != nullptr) *read = reader.offset() - *offset;
  for (const OwnedRecord& record : told.records) {
    if (record.number == number) return record.payload;
  }
  return "";
}

TEST(LogFindTest, EveryRecordIsFoundNearItsPlace) {
  const std::string bytes = ManySizes(3000);
  for (int64_t number = 1; number <= 3000; number += 7) {
    int64_t read = 0;
    const std::string found = Find(bytes, number, &read);
    EXPECT_EQ(found.substr(0, found.find(' ')), absl::StrCat(number));
    EXPECT_LE(read, 256 << 10);
  }
}

TEST(LogFindTest, StartingInTheMiddleIsNoDamage) {
  LogReader reader(FileOf(ManySizes(500)));
  const auto offset = FindRecord(reader.fd(), 400);
  ASSERT_TRUE(offset.ok());
  EXPECT_GT(*offset, 1000);
  reader.SkipTo(*offset);
  CollectingSink told;
  ASSERT_TRUE(reader.Read(told).ok());
  reader.Finish(told);
  EXPECT_THAT(told.damages, IsEmpty());
  EXPECT_EQ(told.records.back().number, 500);
}

TEST(LogFindTest, WhatIsNotThereIsNotFound) {
  const std::string bytes = ManySizes(300);
  EXPECT_EQ(Find(bytes, 301), "");
  EXPECT_EQ(Find("", 1), "");
  EXPECT_EQ(Find(HeaderLine("task1"), 1), "");
  EXPECT_EQ(Find("no log\n", 1), "");
}

TEST(LogFindTest, DamageIsPassedOver) {
  const std::string good = ManySizes(2000);
  for (const size_t hole : {size_t{100}, size_t{20000}}) {
    std::string bytes = good;
    const size_t at = good.size() / 2;
    bytes.replace(at, hole, std::string(hole, '?'));
    int found = 0;
    for (int64_t number = 1; number <= 2000; number += 11) {
      found += Find(bytes, number).empty() ? 0 : 1;
    }
    // All records are found but the few in the hole.
    EXPECT_GT(found, 2000 / 11 - 40);
    EXPECT_FALSE(Find(bytes, 1).empty());
    EXPECT_FALSE(Find(bytes, 2000).empty());
  }
}

TEST(LogFindTest, EveryRecordOfTheSmallLogsIsFound) {
  for (const std::string& bytes : {SmallLog(), BatchLog()}) {
    for (const OwnedRecord& record :
         ReadBytes(bytes, bytes.size()).told.records) {
      EXPECT_EQ(Find(bytes, record.number), record.payload);
    }
  }
}

}  // namespace
}  // namespace troika::relay
