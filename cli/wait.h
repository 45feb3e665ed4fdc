#ifndef TROIKA_CLI_WAIT_H_
#define TROIKA_CLI_WAIT_H_

#include <poll.h>

#include <cstdint>
#include <vector>

#include "base/clock.h"

namespace troika::cli {

// The sooner of two times in microseconds; 0 is never.
int64_t Sooner(int64_t a, int64_t b);

// Until one of `fds` has something, or it is `wake_at`. Sets what they have;
// false where none has anything.
bool Wait(std::vector<pollfd>* fds, int64_t wake_at, Clock& clock);

}  // namespace troika::cli

#endif  // TROIKA_CLI_WAIT_H_
