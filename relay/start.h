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

// The program `troika-relay`: $TROIKA_RELAY_BIN, or beside this program, or
// where Bazel puts it. NotFound says where was looked.
absl::StatusOr<std::string> FindRelayProgram();

// Starts a relay that goes on with `log` and its lock, whatever becomes of us.
// Returns a descriptor that is readable once the relay serves or can't.
// DeadlineExceeded, after 5 s, where the program hangs: it is then killed.
// ResourceExhausted where we lack descriptors or memory to start it now.
absl::StatusOr<UniqueFd> StartRelay(const std::string& program,
                                    const RelaySpec& spec, LogWriter log,
                                    int dir_fd);

// The same with a spec that was encoded before, by whichever version.
absl::StatusOr<UniqueFd> StartRelayFromBytes(const std::string& program,
                                             absl::string_view spec_bytes,
                                             LogWriter log, int dir_fd);

// What the relay said there. Waits for it. Unavailable where it died.
absl::Status RelayStarted(int ready_fd);

}  // namespace troika::relay

#endif  // TROIKA_RELAY_START_H_
