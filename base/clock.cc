#include "base/clock.h"

#include <time.h>

namespace troika {
namespace {

int64_t Micros(clockid_t clock) {
  timespec now = {};
  clock_gettime(clock, &now);
  return int64_t{now.tv_sec} * 1000000 + now.tv_nsec / 1000;
}

}  // namespace

SystemClock::SystemClock()
    : offset_(Micros(CLOCK_REALTIME) - Micros(CLOCK_MONOTONIC)) {}

int64_t SystemClock::NowMicros() { return offset_ + Micros(CLOCK_MONOTONIC); }

}  // namespace troika
