#include "task/line_joiner.h"

#include <string>

#include "gtest/gtest.h"

namespace troika {
namespace {

using relay::LineEnd;

TEST(LineJoinerTest, WholeLinePassesAsItIs) {
  LineJoiner joiner;
  const std::string payload = "abc";
  const auto line = joiner.Add({.number = 3,
                                .micros = 2'000'000,
                                .end = LineEnd::kNone,
                                .key = "k",
                                .payload = payload,
                                .offset = 7});
  ASSERT_TRUE(line);
  EXPECT_EQ(line->number, 3);
  EXPECT_EQ(line->time, absl::FromUnixSeconds(2));
  EXPECT_EQ(line->bytes.data(), payload.data());
  EXPECT_EQ(line->offset, 7);
  EXPECT_EQ(line->size, 3);
  EXPECT_EQ(line->key, "k");
}

TEST(LineJoinerTest, JoinedLineHasItsLastNumberAndItsFirstPlace) {
  LineJoiner joiner;
  EXPECT_FALSE(joiner.Add({.number = 1,
                           .end = LineEnd::kContinued,
                           .key = "k",
                           .payload = "ab",
                           .offset = 7}));
  EXPECT_FALSE(
      joiner.Add({.number = 2, .end = LineEnd::kContinued, .payload = "cd"}));
  const auto line = joiner.Add({.number = 5, .payload = "e", .offset = 90});
  ASSERT_TRUE(line);
  EXPECT_EQ(line->number, 5);
  EXPECT_EQ(line->bytes, "abcde");
  EXPECT_EQ(line->offset, 7);
  EXPECT_EQ(line->size, 5);
  EXPECT_EQ(line->key, "k");
  EXPECT_EQ(joiner.Add({.number = 6, .payload = "f"})->bytes, "f");
}

TEST(LineJoinerTest, LongLineKeepsItsStartAndItsLength) {
  LineJoiner joiner;
  const std::string piece(size_t{1} << 20, 'x');
  for (int i = 0; i < 20; ++i) {
    ASSERT_FALSE(joiner.Add(
        {.number = i + 1, .end = LineEnd::kContinued, .payload = piece}));
  }
  const auto line = joiner.Add({.number = 21, .payload = "end"});
  ASSERT_TRUE(line);
  EXPECT_EQ(line->size, (20 << 20) + 3);
  EXPECT_EQ(static_cast<int64_t>(line->bytes.size()), kMaxLineBytes);
}

TEST(LineJoinerTest, LineWithoutAnEndCanBeTaken) {
  LineJoiner joiner;
  EXPECT_FALSE(joiner.Abandon(1, std::nullopt));
  EXPECT_FALSE(joiner.Add({.end = LineEnd::kContinued, .payload = "ab"}));
  const auto line = joiner.Abandon(9, std::nullopt);
  ASSERT_TRUE(line);
  EXPECT_EQ(line->bytes, "ab");
  EXPECT_EQ(line->number, 9);
  EXPECT_FALSE(joiner.Abandon(10, std::nullopt));
}

}  // namespace
}  // namespace troika
