// What time it is, so that tests can say another one.
#ifndef TROIKA_BASE_CLOCK_H_
#define TROIKA_BASE_CLOCK_H_

#include <cstdint>

namespace troika {

class Clock {
 public:
  virtual ~Clock() = default;
  // Microseconds since the epoch. Never goes back within a process.
  virtual int64_t NowMicros() = 0;
};

// The real time when it was made, and the monotonic clock from there.
class SystemClock : public Clock {
 public:
  SystemClock();
  int64_t NowMicros() override;

 private:
  const int64_t offset_;  // From the monotonic clock to the real time.
};

}  // namespace troika

#endif  // TROIKA_BASE_CLOCK_H_
