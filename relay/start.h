// Starts relays.
#ifndef TROIKA_RELAY_START_H_
#define TROIKA_RELAY_START_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/fd.h"
#include "relay/client.h"
#include "relay/log_writer.h"
#include "relay/spec.h"

namespace troika::relay {

// Returns the path of `troika-relay`, as FindProgram() does.
absl::StatusOr<std::string> FindRelayProgram();

// A relay on its way. It is not our child, and outlives us.
struct StartingRelay {
  UniqueFd ready;    // Readable once the relay serves or has failed.
  UniqueFd process;  // A pidfd.
  UniqueFd spare;    // The socket of a spare relay, until it has the task.
  // The connection that a spare relay got with its task. It is of use once the
  // log shows the agent's process.
  std::optional<Client> driver = std::nullopt;
};

inline constexpr absl::Duration kStartPatience = absl::Seconds(10);

// Starts a relay that continues `log` with its lock. Returns ResourceExhausted
// if we lack descriptors or memory to start it now.
absl::StatusOr<StartingRelay> StartRelay(const std::string& program,
                                         const RelaySpec& spec, LogWriter log,
                                         int dir_fd);

// Does the same with an encoded spec, which may be of another version.
absl::StatusOr<StartingRelay> StartRelayFromBytes(const std::string& program,
                                                  absl::string_view spec_bytes,
                                                  LogWriter log, int dir_fd);

// Time for a spare relay to take its task, which needs no more than one turn of
// the processor.
inline constexpr absl::Duration kSparePatience = absl::Milliseconds(300);

// Whether a spare relay has taken its task; then resets `starting->spare`.
bool SpareTook(StartingRelay* starting);
// Ends a relay that hangs. Its log tells whether it had begun.
void EndRelay(const StartingRelay& starting);

// Waits for the relay's report and returns it. Returns Unavailable if the relay
// died, and kills it and returns DeadlineExceeded if it reports nothing in
// time.
absl::Status RelayStarted(const StartingRelay& starting,
                          absl::Duration patience = kStartPatience);

}  // namespace troika::relay

#endif  // TROIKA_RELAY_START_H_
