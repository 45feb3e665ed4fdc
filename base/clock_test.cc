#include "base/clock.h"

#include <time.h>

#include "absl/time/clock.h"
#include "gtest/gtest.h"

namespace troika {
namespace {

absl::Time real_time;
absl::Time monotonic_time;

int64_t ReadFake(int clock) {
  return absl::ToUnixMicros(clock == CLOCK_REALTIME ? real_time
                                                    : monotonic_time);
}

class SystemClockTest : public testing::Test {
 protected:
  SystemClockTest() {
    real_time = absl::FromUnixSeconds(1700000000);
    monotonic_time = absl::FromUnixSeconds(500);
  }
  static void Pass(absl::Duration time) {
    real_time += time;
    monotonic_time += time;
  }
};

TEST_F(SystemClockTest, SleepIsInTheTimeOnceItIsFollowed) {
  SystemClock clock(&ReadFake);
  const absl::Time awake = clock.Awake();
  Pass(absl::Seconds(5));
  real_time += absl::Hours(8);
  EXPECT_EQ(clock.Now(), real_time - absl::Hours(8));
  EXPECT_EQ(clock.FollowRealTime(), absl::Hours(8));
  EXPECT_EQ(clock.Now(), real_time);
  EXPECT_EQ(clock.Awake() - awake, absl::Seconds(5));
  EXPECT_EQ(clock.FollowRealTime(), absl::ZeroDuration());
  // Somebody sets the clock back.
  real_time -= absl::Hours(24);
  Pass(absl::Seconds(1));
  EXPECT_EQ(clock.FollowRealTime(), -absl::Hours(24));
  EXPECT_EQ(clock.Now(), real_time);
  EXPECT_EQ(clock.Awake() - awake, absl::Seconds(6));
}

TEST_F(SystemClockTest, SmallCorrectionsAreNotFollowed) {
  SystemClock clock(&ReadFake);
  real_time += absl::Milliseconds(500);
  EXPECT_EQ(clock.FollowRealTime(), absl::ZeroDuration());
  real_time -= absl::Seconds(1);
  EXPECT_EQ(clock.FollowRealTime(), absl::ZeroDuration());
  real_time -= absl::Seconds(2);
  EXPECT_EQ(clock.FollowRealTime(), -absl::Milliseconds(2500));
}

TEST(RealClockTest, TellsTheTime) {
  SystemClock clock;
  EXPECT_LT(absl::AbsDuration(clock.Now() - absl::Now()), absl::Seconds(2));
  const absl::Time first = clock.Awake();
  const absl::Time second = clock.Awake();
  EXPECT_LE(first, second);
}

TEST(PollTimeoutTest, RoundsUpAndIsBounded) {
  EXPECT_EQ(PollTimeout(absl::Microseconds(1)), 1);
  EXPECT_EQ(PollTimeout(absl::Milliseconds(7)), 7);
  EXPECT_EQ(PollTimeout(-absl::Seconds(1)), 0);
  EXPECT_EQ(PollTimeout(-absl::InfiniteDuration()), 0);
  EXPECT_EQ(PollTimeout(absl::Hours(9999)), 3600000);
  EXPECT_EQ(PollTimeout(absl::InfiniteDuration()), -1);
}

}  // namespace
}  // namespace troika
