// Combines an agent's many small writes into one read.
#ifndef TROIKA_RELAY_READ_PACER_H_
#define TROIKA_RELAY_READ_PACER_H_

#include <cstddef>
#include <optional>

#include "absl/time/time.h"

namespace troika::relay {

// Decides when a relay may read an agent's output. A record's head is much
// longer than a tiny line, so a relay that woke up for each write of a flood
// would write a log many times the size of the output. After a few small reads
// within a window, the next one waits for the window's end: the output gathers
// in the pipe and becomes one batch. An agent that prints little never waits,
// and none waits for longer than a window.
class ReadPacer {
 public:
  // Longer reads are worth a record's head.
  static constexpr size_t kSmallRead = size_t{4} << 10;
  static constexpr int kMaxSmallReads = 4;
  static constexpr absl::Duration kWindow = absl::Milliseconds(20);

  // Must be called after each read.
  void OnRead(size_t bytes, absl::Time now) {
    if (now >= window_end_) {
      window_end_ = now + kWindow;
      small_reads_ = 0;
    }
    if (bytes < kSmallRead) ++small_reads_;
  }

  // Returns the time of the next read, or nullopt if it may be now.
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
