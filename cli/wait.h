// Waiting for descriptors, deadlines, and the signals that end a command.
#ifndef TROIKA_CLI_WAIT_H_
#define TROIKA_CLI_WAIT_H_

#include <poll.h>
#include <signal.h>

#include <vector>

#include "absl/time/time.h"
#include "base/clock.h"
#include "base/fd.h"

namespace troika::cli {

// Waits until one of `fds` is ready or clock.Awake() is `wake_at`, and sets
// their `revents`. False if none is ready.
bool Wait(std::vector<pollfd>* fds, absl::Time wake_at, Clock& clock);

// While it lives, SIGINT, SIGTERM and SIGHUP are only seen here. A signal that
// our parent has set to be ignored stays ignored. There may be only one of it,
// and no other threads.
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  int fd() const { return fd_.get(); }
  // Returns the signals that came since the last call.
  std::vector<int> Take();

 private:
  sigset_t before_;
  UniqueFd fd_;
};

}  // namespace troika::cli

#endif  // TROIKA_CLI_WAIT_H_
