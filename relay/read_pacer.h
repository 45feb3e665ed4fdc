// Makes an agent's many small writes one read.
#ifndef TROIKA_RELAY_READ_PACER_H_
#define TROIKA_RELAY_READ_PACER_H_

#include <cstddef>
#include <optional>

#include "absl/time/time.h"

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
  static constexpr absl::Duration kWindow = absl::Milliseconds(20);

  // Call it for each read.
  void OnRead(size_t bytes, absl::Time now) {
    if (now >= window_end_) {
      window_end_ = now + kWindow;
      small_reads_ = 0;
    }
    if (bytes < kSmallRead) ++small_reads_;
  }

  // When the next read may be; nothing if it may be now.
  std::optional<absl::Time> paused_until(absl::Time now) const {
    if (small_reads_ <= kMaxSmallReads || now >= window_end_) {
      return std::nullopt;
    }
    return window_end_;
  }

 private:
  absl::Time window_end_ = absl::InfinitePast();
  int small_reads_ = 0;
};

}  // namespace troika::relay

#endif  // TROIKA_RELAY_READ_PACER_H_
