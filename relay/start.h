// Starts relays.
#ifndef TROIKA_RELAY_START_H_
#define TROIKA_RELAY_START_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/fd.h"
#include "relay/log_writer.h"
#include "relay/spec.h"

namespace troika::relay {

// Returns the path of `troika-relay`, as FindProgram() does.
absl::StatusOr<std::string> FindRelayProgram();

// Starts a relay that continues `log` with its lock, and outlives us. Returns a
// descriptor that becomes readable once the relay serves or has failed. Returns
// DeadlineExceeded if the program hangs for 5 s, after which it is killed, and
// ResourceExhausted if we lack descriptors or memory to start it now.
absl::StatusOr<UniqueFd> StartRelay(const std::string& program,
                                    const RelaySpec& spec, LogWriter log,
                                    int dir_fd);

// Does the same with an encoded spec, which may be of another version.
absl::StatusOr<UniqueFd> StartRelayFromBytes(const std::string& program,
                                             absl::string_view spec_bytes,
                                             LogWriter log, int dir_fd);

// Waits for the relay's report on `ready_fd` and returns it. Returns
// Unavailable if the relay died.
absl::Status RelayStarted(int ready_fd);

}  // namespace troika::relay

#endif  // TROIKA_RELAY_START_H_
