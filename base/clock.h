// What time it is, so that tests can say another one.
#ifndef TROIKA_BASE_CLOCK_H_
#define TROIKA_BASE_CLOCK_H_

#include <atomic>
#include <cstdint>

namespace troika {

// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;

  // Microseconds since the epoch, for what people and logs are told. Changes by
  // leaps only in FollowRealTime().
  virtual int64_t NowMicros() = 0;

  // Microseconds for deadlines and retries. Stands still while the machine
  // sleeps and never leaps, however the real time is set. Only differences mean
  // something, and only within a process.
  virtual int64_t AwakeMicros() { return NowMicros(); }

  // Corrects NowMicros() if it differs from the real time by more than a
  // second, as the machine slept or somebody set its time. Returns by how many
  // microseconds it leapt, or 0.
  virtual int64_t FollowRealTime() { return 0; }
};

class SystemClock : public Clock {
 public:
  SystemClock();
  // For tests: `read` takes a CLOCK_… and returns its microseconds.
  explicit SystemClock(int64_t (*read)(int clock));
  int64_t NowMicros() override;
  int64_t AwakeMicros() override;
  int64_t FollowRealTime() override;

 private:
  int64_t (*const read_)(int clock);
  const int64_t offset_;  // From the monotonic clock to the first real time.
  std::atomic<int64_t> leaps_ = 0;  // Sum of all since then.
};

}  // namespace troika

#endif  // TROIKA_BASE_CLOCK_H_
