#include "cli/wait.h"

namespace troika::cli {

bool Wait(std::vector<pollfd>* fds, absl::Time wake_at, Clock& clock) {
  // A signal may end it early: the caller checks in any case.
  return poll(fds->data(), fds->size(), PollTimeout(wake_at - clock.Awake())) >
         0;
}

}  // namespace troika::cli
