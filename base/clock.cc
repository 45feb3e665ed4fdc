#include "base/clock.h"

#include <time.h>

#include <cstdlib>

namespace troika {
namespace {

// Less is told by nobody's watch, and NTP corrects it all the time.
constexpr int64_t kTolerance = 1000000;

int64_t Micros(int clock) {
  timespec now = {};
  clock_gettime(clock, &now);
  return int64_t{now.tv_sec} * 1000000 + now.tv_nsec / 1000;
}

}  // namespace

SystemClock::SystemClock() : SystemClock(&Micros) {}

SystemClock::SystemClock(int64_t (*read)(int clock))
    : read_(read), offset_(read(CLOCK_REALTIME) - read(CLOCK_MONOTONIC)) {}

int64_t SystemClock::NowMicros() { return AwakeMicros() + leaps_.load(); }

int64_t SystemClock::AwakeMicros() {
  // Linux stops CLOCK_MONOTONIC while the machine sleeps.
  return offset_ + read_(CLOCK_MONOTONIC);
}

int64_t SystemClock::FollowRealTime() {
  int64_t leaps = leaps_.load();
  const int64_t wanted = read_(CLOCK_REALTIME) - AwakeMicros();
  const int64_t leap = wanted - leaps;
  if (std::abs(leap) <= kTolerance) return 0;
  // Another thread that was faster has done it.
  return leaps_.compare_exchange_strong(leaps, wanted) ? leap : 0;
}

}  // namespace troika
