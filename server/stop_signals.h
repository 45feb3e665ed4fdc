// Ends the server on SIGTERM, SIGINT and SIGHUP, even if it hangs.
#ifndef TROIKA_SERVER_STOP_SIGNALS_H_
#define TROIKA_SERVER_STOP_SIGNALS_H_

#include <memory>

#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"
#include "base/event_loop.h"
#include "base/fd.h"

namespace troika {

// At most one in a process. The handlers stay installed when it is destroyed,
// so that a signal ends whatever the process still does then. SIGHUP stays
// ignored if it was (nohup).
class StopSignals {
 public:
  // A stop that takes longer ends with the process, with exit code 0: a server
  // can be killed at any time.
  static constexpr absl::Duration kStopDeadline = absl::Seconds(5);

  // The first signal starts the deadline, and calls `on_stop` on the loop's
  // thread. The second one kills the process at once.
  StopSignals(EventLoop* loop, absl::AnyInvocable<void()> on_stop);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // For a stop without a signal.
  static void StartDeadline();

 private:
  UniqueFd wake_;  // An eventfd that the signal handler writes to.
  std::unique_ptr<EventLoop::Watch> watch_;
};

}  // namespace troika

#endif  // TROIKA_SERVER_STOP_SIGNALS_H_
