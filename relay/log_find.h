// Finds records of a log by their numbers, without reading all of it.
#ifndef TROIKA_RELAY_LOG_FIND_H_
#define TROIKA_RELAY_LOG_FIND_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "relay/log_reader.h"

namespace troika::relay {

// Returns the offset of the last record with a number up to `number`, or of the
// batch that contains it; 0 if there is no such record. A reader that starts
// there meets the wanted record among the first, if the log has it. Takes few
// reads, because numbers rise. In a damaged log they may not, and the offset
// may be wrong: a reader that does not find the record there starts at 0.
absl::StatusOr<int64_t> FindRecord(int fd, int64_t number);

}  // namespace troika::relay

#endif  // TROIKA_RELAY_LOG_FIND_H_
