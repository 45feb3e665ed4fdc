// Clocks that tests set.
#ifndef TROIKA_TESTING_CLOCKS_H_
#define TROIKA_TESTING_CLOCKS_H_

#include "absl/time/time.h"
#include "base/clock.h"

namespace troika {

// Stands still until advanced.
class FakeClock : public Clock {
 public:
  absl::Time Now() override { return now_; }
  void Advance(absl::Duration by) { now_ += by; }

 private:
  absl::Time now_ = absl::FromUnixSeconds(1700000000);
};

// Returns the real time plus the time by which it was advanced.
class AdvancingClock : public Clock {
 public:
  absl::Time Now() override { return clock_.Now() + added_; }
  void Advance(absl::Duration by) { added_ += by; }

 private:
  SystemClock clock_;
  absl::Duration added_;
};

}  // namespace troika

#endif  // TROIKA_TESTING_CLOCKS_H_
