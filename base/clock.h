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

  // The real time, for people and logs. Leaps only in FollowRealTime().
  virtual absl::Time Now() = 0;

  // The time for deadlines and retries. It stands still while the machine
  // sleeps, and never leaps when the real time is set. Its epoch is of no
  // meaning: only differences between two values of one process are.
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

  // Microseconds, because they are atomic and Abseil's types are not.
  int64_t (*const read_)(int clock);
  const int64_t offset_;  // From the monotonic clock to the first real time.
  std::atomic<int64_t> leaps_ = 0;  // Sum of all since then.
};

// The timeout for poll(2) that ends when `left` has passed, and not before.
// Waits longer than an hour end after an hour; -1 if `left` is infinite.
int PollTimeout(absl::Duration left);

}  // namespace troika

#endif  // TROIKA_BASE_CLOCK_H_
