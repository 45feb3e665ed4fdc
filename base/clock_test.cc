#include "base/clock.h"

#include <time.h>

#include "gtest/gtest.h"

namespace troika {
namespace {

constexpr int64_t kSecond = 1000000;
constexpr int64_t kHour = 3600 * kSecond;

int64_t real_time;
int64_t monotonic_time;

int64_t ReadFake(int clock) {
  return clock == CLOCK_REALTIME ? real_time : monotonic_time;
}

class SystemClockTest : public testing::Test {
 protected:
  SystemClockTest() {
    real_time = 1700000000 * kSecond;
    monotonic_time = 500 * kSecond;
  }
  static void Pass(int64_t micros) {
    real_time += micros;
    monotonic_time += micros;
  }
};

TEST_F(SystemClockTest, SleepIsInTheTimeOnceItIsFollowed) {
  SystemClock clock(&ReadFake);
  const int64_t awake = clock.AwakeMicros();
  Pass(5 * kSecond);
  real_time += 8 * kHour;
  EXPECT_EQ(clock.NowMicros(), real_time - 8 * kHour);
  EXPECT_EQ(clock.FollowRealTime(), 8 * kHour);
  EXPECT_EQ(clock.NowMicros(), real_time);
  EXPECT_EQ(clock.AwakeMicros() - awake, 5 * kSecond);
  EXPECT_EQ(clock.FollowRealTime(), 0);
  // Set back, by somebody.
  real_time -= 24 * kHour;
  Pass(kSecond);
  EXPECT_EQ(clock.FollowRealTime(), -24 * kHour);
  EXPECT_EQ(clock.NowMicros(), real_time);
  EXPECT_EQ(clock.AwakeMicros() - awake, 6 * kSecond);
}

TEST_F(SystemClockTest, SmallCorrectionsAreNotFollowed) {
  SystemClock clock(&ReadFake);
  real_time += kSecond / 2;
  EXPECT_EQ(clock.FollowRealTime(), 0);
  real_time -= kSecond;
  EXPECT_EQ(clock.FollowRealTime(), 0);
  real_time -= 2 * kSecond;
  EXPECT_EQ(clock.FollowRealTime(), -5 * kSecond / 2);
}

TEST(RealClockTest, TellsTheTime) {
  SystemClock clock;
  const int64_t now = int64_t{time(nullptr)} * kSecond;
  EXPECT_NEAR(static_cast<double>(clock.NowMicros()), static_cast<double>(now),
              2.0 * kSecond);
  const int64_t first = clock.AwakeMicros();
  const int64_t second = clock.AwakeMicros();
  EXPECT_LE(first, second);
}

}  // namespace
}  // namespace troika
