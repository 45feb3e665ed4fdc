// Runs the program of a relay, for relay/start.h and relay/spare.h.
#ifndef TROIKA_RELAY_SPAWN_H_
#define TROIKA_RELAY_SPAWN_H_

#include <sys/types.h>

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/fd.h"

namespace troika::relay {

struct SpawnedRelay {
  UniqueFd process;  // A pidfd.
  pid_t pid = 0;
};

// Runs `program` with `fds` as its descriptors from kSpecFd on; they must be
// above kLastInheritedFd. The process is nobody's child. Waits until the
// program runs.
absl::StatusOr<SpawnedRelay> SpawnRelay(const std::string& program,
                                        const char* const* env,
                                        absl::Span<const int> fds);

// Copies a descriptor to a number that no inherited descriptor gets.
absl::StatusOr<UniqueFd> CopyAboveInherited(int fd);

// Returns a file in memory with an encoded spec, to be read from its start.
absl::StatusOr<UniqueFd> SpecFile(absl::string_view bytes);

// Returns false if `patience` is over before `fd` is readable.
bool WaitUntilReadable(int fd, absl::Duration patience);

}  // namespace troika::relay

#endif  // TROIKA_RELAY_SPAWN_H_
