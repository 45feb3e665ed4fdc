#ifndef TROIKA_CLI_WAIT_H_
#define TROIKA_CLI_WAIT_H_

#include <poll.h>

#include <vector>

#include "absl/time/time.h"
#include "base/clock.h"

namespace troika::cli {

// Waits until one of `fds` is ready or clock.Awake() is `wake_at`, and sets
// their `revents`. False if none is ready.
bool Wait(std::vector<pollfd>* fds, absl::Time wake_at, Clock& clock);

}  // namespace troika::cli

#endif  // TROIKA_CLI_WAIT_H_
