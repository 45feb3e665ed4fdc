// Reads the spec of a relay from its file.
#ifndef TROIKA_RELAY_SPEC_FILE_H_
#define TROIKA_RELAY_SPEC_FILE_H_

#include "absl/status/statusor.h"
#include "relay/spec.h"

namespace troika::relay {

// Reads the whole file, wherever its offset is: relay and guard share it.
absl::StatusOr<RelaySpec> ReadSpec(int fd);

}  // namespace troika::relay

#endif  // TROIKA_RELAY_SPEC_FILE_H_
