// Reads the spec of a relay from its file.
#ifndef TROIKA_RELAY_SPEC_FILE_H_
#define TROIKA_RELAY_SPEC_FILE_H_

#include "absl/status/statusor.h"
#include "relay/spec.h"

namespace troika::relay {

// Reads the whole file, wherever its offset is: relay and guard share it.
absl::StatusOr<RelaySpec> ReadSpec(int fd);

// Reads a spec of a usual size, for a process that waits for its task: so the
// pages of memory that this takes are there when the task comes.
void RehearseReadSpec();

}  // namespace troika::relay

#endif  // TROIKA_RELAY_SPEC_FILE_H_
