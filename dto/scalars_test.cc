#include "dto/scalars.h"

#include "gtest/gtest.h"

namespace troika {
namespace {

std::string TimeText(absl::Time time) {
  std::string out;
  AppendTime(time, &out);
  return out;
}

std::string DurationText(absl::Duration duration) {
  std::string out;
  AppendDuration(duration, &out);
  return out;
}

TEST(TimeTest, FractionsHaveAsManyDigitsAsTheyNeed) {
  EXPECT_EQ(TimeText(absl::FromUnixSeconds(0)), "1970-01-01T00:00:00Z");
  EXPECT_EQ(TimeText(absl::FromUnixMillis(-1)), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(TimeText(absl::FromUnixMicros(10)), "1970-01-01T00:00:00.000010Z");
  EXPECT_EQ(TimeText(absl::FromUnixNanos(1700000000000000001)),
            "2023-11-14T22:13:20.000000001Z");
  EXPECT_EQ(DurationText(absl::Milliseconds(1500)), "1.500s");
  EXPECT_EQ(DurationText(absl::Seconds(3)), "3s");
  EXPECT_EQ(DurationText(absl::Nanoseconds(-1)), "-0.000000001s");
  EXPECT_EQ(DurationText(absl::ZeroDuration()), "0s");
}

TEST(TimeTest, WhatProtobufCannotHoldIsTheNearest) {
  EXPECT_EQ(TimeText(absl::InfinitePast()), "0001-01-01T00:00:00Z");
  EXPECT_EQ(TimeText(absl::InfiniteFuture()), "9999-12-31T23:59:59.999999999Z");
  EXPECT_EQ(DurationText(absl::InfiniteDuration()), "315576000000s");
  EXPECT_EQ(DurationText(-absl::InfiniteDuration()), "-315576000000s");
}

}  // namespace
}  // namespace troika
