// Tells when a relay's clock will show a time, by our own clock.
//
// A relay stamps its records by its clock (Clock::Awake of its process,
// and what it noted of leaps). Both clocks run equally fast, but
// they begin at different ones, as each process looked at the real time when it
// started. So deadlines that begin at a record must not be compared with our
// clock as they are.
#ifndef TROIKA_TASK_RELAY_CLOCK_H_
#define TROIKA_TASK_RELAY_CLOCK_H_

#include <algorithm>
#include <optional>

#include "absl/time/time.h"

namespace troika {

class RelayClock {
 public:
  // The relay's clock showed `theirs` when ours showed `ours`, or before. The
  // later it was seen, the later deadlines fall, but never too early.
  void Saw(absl::Time theirs, absl::Time ours) {
    const absl::Duration ahead = theirs - ours;
    ahead_ = ahead_ ? std::max(*ahead_, ahead) : ahead;
  }
  // Another relay's clock is another one.
  void Forget() { ahead_.reset(); }

  // The time of our clock when the relay's clock shows `theirs`, or nothing if
  // we know nothing of the relay's clock.
  std::optional<absl::Time> ToOurs(absl::Time theirs) const {
    if (!ahead_) return std::nullopt;
    return theirs - *ahead_;
  }

 private:
  std::optional<absl::Duration>
      ahead_;  // How far theirs is ahead of ours, at least.
};

}  // namespace troika

#endif  // TROIKA_TASK_RELAY_CLOCK_H_
