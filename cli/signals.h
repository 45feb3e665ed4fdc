// The signals that ask a command to end, as a descriptor to poll.
#ifndef TROIKA_CLI_SIGNALS_H_
#define TROIKA_CLI_SIGNALS_H_

#include <signal.h>

#include <vector>

#include "base/fd.h"

namespace troika::cli {

// While it lives, SIGINT, SIGTERM and SIGHUP only come through here. Those that
// whoever started us has ignored stay ignored. One at a time, and no threads
// besides.
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  int fd() const { return fd_.get(); }
  // Those that have come since the last call.
  std::vector<int> Take();

 private:
  sigset_t before_;
  UniqueFd fd_;
};

}  // namespace troika::cli

#endif  // TROIKA_CLI_SIGNALS_H_
