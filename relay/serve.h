// The main function of a relay process.
#ifndef TROIKA_RELAY_SERVE_H_
#define TROIKA_RELAY_SERVE_H_

#include <optional>

#include "absl/status/statusor.h"
#include "base/clock.h"
#include "base/fd.h"
#include "relay/guard.h"
#include "relay/spec.h"

namespace troika::relay {

// What a relay serves: the descriptors of its task, and its guard.
struct RelayTask {
  UniqueFd spec;
  UniqueFd log;
  UniqueFd dir;
  UniqueFd ready;
  UniqueFd driver;  // The starter's connection, if it gave one.
  absl::StatusOr<GuardProcess> guard;
};

// Makes the process a relay that leaves its starter, and returns the task whose
// descriptors it inherited.
RelayTask InheritedTask();

// Makes the process a spare relay (relay/spare.h) and waits for its task.
// Returns nullopt if the starter ends before.
std::optional<RelayTask> AwaitTask();

// Reads the spec, starts the agent, reports to the starter whether the relay
// serves ("ok", or the reason why not), and serves until the agent's end.
// Returns the exit code. `clock` is borrowed.
int Serve(RelayTask task, Clock* clock);

}  // namespace troika::relay

#endif  // TROIKA_RELAY_SERVE_H_
