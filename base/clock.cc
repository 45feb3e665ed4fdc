#include "base/clock.h"

#include <time.h>

#include <algorithm>
#include <cstdlib>

namespace troika {
namespace {

// Smaller differences go unnoticed, and NTP corrects them all the time.
constexpr int64_t kTolerance = 1000000;

int64_t ReadMicros(int clock) {
  timespec now = {};
  clock_gettime(clock, &now);
  return int64_t{now.tv_sec} * 1000000 + now.tv_nsec / 1000;
}

}  // namespace

SystemClock::SystemClock() : SystemClock(&ReadMicros) {}

SystemClock::SystemClock(int64_t (*read)(int clock))
    : read_(read), offset_(read(CLOCK_REALTIME) - read(CLOCK_MONOTONIC)) {}

// Linux stops CLOCK_MONOTONIC while the machine sleeps.
int64_t SystemClock::AwakeMicros() const {
  return offset_ + read_(CLOCK_MONOTONIC);
}

absl::Time SystemClock::Now() {
  return absl::FromUnixMicros(AwakeMicros() + leaps_.load());
}

absl::Time SystemClock::Awake() { return absl::FromUnixMicros(AwakeMicros()); }

absl::Duration SystemClock::FollowRealTime() {
  int64_t leaps = leaps_.load();
  const int64_t wanted = read_(CLOCK_REALTIME) - AwakeMicros();
  const int64_t leap = wanted - leaps;
  // If the exchange fails, another thread has corrected the time.
  if (std::abs(leap) <= kTolerance ||
      !leaps_.compare_exchange_strong(leaps, wanted)) {
    return absl::ZeroDuration();
  }
  return absl::Microseconds(leap);
}

int PollTimeout(absl::Duration left) {
  if (left == absl::InfiniteDuration()) return -1;
  return static_cast<int>(absl::ToInt64Milliseconds(
      absl::Ceil(std::clamp(left, absl::ZeroDuration(), absl::Hours(1)),
                 absl::Milliseconds(1))));
}

}  // namespace troika
