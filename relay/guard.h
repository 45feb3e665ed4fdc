// The guard: starts the agent, waits for it, and ends all processes that it
// started.
//
// It is forked before the relay has a task. When the relay has written its
// first records, the guard gets the descriptors of GuardFd, reads the spec, and
// starts the agent.
//
// Relay and guard are both subreapers, and the socket between them tells each
// if the other died. While the guard lives, it alone sends signals. It holds
// the log's lock too, so that a free lock means that no process is left.
#ifndef TROIKA_RELAY_GUARD_H_
#define TROIKA_RELAY_GUARD_H_

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/fd.h"

namespace troika::relay {

// Commands and reports are packets. Both processes are of one program, so the
// packets hold the structs as they are.

// A command of the relay, once the agent was started.
struct GuardCommand {
  enum class Kind : int32_t {
    kSignal,  // Sends `signal` to the agent's group.
    kStop,    // Begins the ending, or takes its next step at once.
    kKill,    // Takes the last step of the ending.
  };
  Kind kind = Kind::kSignal;
  int32_t signal = 0;
  absl::Duration grace;
};

// A report of the guard.
struct GuardReport {
  enum class Kind : int32_t {
    kTaken,        // A command was read.
    kStarted,      // `pid`
    kStartFailed,  // `text()`: the reason.
    kSignalled,    // `signal`
    kExited,       // `status` and `used`
    kLeftover,     // `text()`: names of processes that outlived the agent and
                   // were ended, with a NUL between them.
    kGone,         // No process is left; the guard ends.
  };
  Kind kind = Kind::kTaken;
  pid_t pid = 0;
  int signal = 0;
  int status = 0;  // Status from wait4().
  rusage used = {};
  size_t text_size = 0;
  char text_bytes[4096];

  absl::string_view text() const { return {text_bytes, text_size}; }
  // Cuts the text if it is too long.
  void set_text(absl::string_view text) {
    text_size = text.copy(text_bytes, sizeof(text_bytes));
  }
};

// The descriptors that the guard gets, in this order.
enum class GuardFd { kSpec, kLog, kIn, kOut, kErr };
inline constexpr size_t kGuardFds = 5;

struct GuardProcess {
  UniqueFd socket;  // The relay's end.
  pid_t pid = 0;    // Our child, which nobody else may reap.
};

// Whether a guard has time before its task comes.
enum class GuardStart { kNow, kSpare };

// Forks a guard. It has no other descriptor of ours than its socket. The caller
// must have no threads.
absl::StatusOr<GuardProcess> ForkGuard(GuardStart start);

}  // namespace troika::relay

#endif  // TROIKA_RELAY_GUARD_H_
