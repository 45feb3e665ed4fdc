// Makes an agent's many small writes one read.
#ifndef TROIKA_RELAY_READ_PACER_H_
#define TROIKA_RELAY_READ_PACER_H_

#include <cstddef>
#include <cstdint>

namespace troika::relay {

// A record's head costs far more than a tiny line, so a relay that wakes up for
// each write of a flood would write a log of many times the agent's bytes.
// After a few small reads within a window, the next one waits for the window's
// end: what comes meanwhile gathers in the pipe and becomes one batch. An agent
// that prints little never waits, and none waits for longer than a window.
class ReadPacer {
 public:
  // Longer reads are worth their head.
  static constexpr size_t kSmallRead = size_t{4} << 10;
  static constexpr int kMaxSmallReads = 4;
  static constexpr int64_t kWindowMicros = 20000;

  // To be told of each read and its time.
  void OnRead(size_t bytes, int64_t now) {
    if (now >= window_end_) {
      window_end_ = now + kWindowMicros;
      small_reads_ = 0;
    }
    if (bytes < kSmallRead) ++small_reads_;
  }

  // When the next read may be; 0 if it may be now.
  int64_t paused_until(int64_t now) const {
    return small_reads_ > kMaxSmallReads && now < window_end_ ? window_end_ : 0;
  }

 private:
  int64_t window_end_ = 0;
  int small_reads_ = 0;
};

}  // namespace troika::relay

#endif  // TROIKA_RELAY_READ_PACER_H_
