// A clock that tests can replace.
#ifndef TROIKA_BASE_CLOCK_H_
#define TROIKA_BASE_CLOCK_H_

#include <atomic>
#include <cstdint>

#include "absl/time/time.h"

namespace troika {

// Times are whole microseconds, as in logs and frames. Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;

  // The real time, for people and logs. It leaps only in FollowRealTime().
  virtual absl::Time Now() = 0;

  // The time for deadlines and retries. It stands still while the machine
  // sleeps, and does not leap when the real time is set. Only differences
  // between two values of the same process have a meaning.
  virtual absl::Time Awake() { return Now(); }

  // Corrects Now() if it differs from the real time by more than a second,
  // because the machine slept or somebody set its time. Returns how far it
  // leapt.
  virtual absl::Duration FollowRealTime() { return absl::ZeroDuration(); }
};

class SystemClock : public Clock {
 public:
  SystemClock();
  // For tests: `read` takes a CLOCK_… and returns its microseconds.
  explicit SystemClock(int64_t (*read)(int clock));
  absl::Time Now() override;
  absl::Time Awake() override;
  absl::Duration FollowRealTime() override;

 private:
  int64_t AwakeMicros() const;

  // In microseconds, because they can be atomic and Abseil's types can't.
  int64_t (*const read_)(int clock);
  // Difference between the monotonic clock and the first real time.
  const int64_t offset_;
  std::atomic<int64_t> leaps_ = 0;  // Sum of all leaps since then.
};

// Returns the timeout for poll(2) that ends when `left` has passed, and not
// before; -1 if `left` is infinite. Longer waits than an hour end after an
// hour.
int PollTimeout(absl::Duration left);

}  // namespace troika

#endif  // TROIKA_BASE_CLOCK_H_
