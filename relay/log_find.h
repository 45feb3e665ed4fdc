// Finds records of a log by their numbers, without reading all of it.
#ifndef TROIKA_RELAY_LOG_FIND_H_
#define TROIKA_RELAY_LOG_FIND_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "relay/log_reader.h"

namespace troika::relay {

// Where the last record that has a number up to `number` begins, or the batch
// that it is in: a reader that starts there meets the wanted record among the
// first, if the log has it. 0 if there is no such record. Costs a few reads,
// because numbers rise; in a damaged log, where they may not, the place may be
// another one, and whoever does not find the record there starts at 0.
absl::StatusOr<int64_t> FindRecord(int fd, int64_t number);

}  // namespace troika::relay

#endif  // TROIKA_RELAY_LOG_FIND_H_
