// Finds the end of a log without reading all of it.
#ifndef TROIKA_RELAY_LOG_END_H_
#define TROIKA_RELAY_LOG_END_H_

#include <cstdint>

#include "absl/status/statusor.h"

namespace troika::relay {

struct LogEnd {
  int64_t size = 0;  // Size of the file.
  // Size of the last record if it is torn: a line without its end, or a batch
  // that lacks lines. 0 if the log ends with a whole record.
  int64_t torn_bytes = 0;
  bool ends_within_line = false;
  int64_t next_number = 1;  // Number after every record in the log.
};

// Returns DataLoss if there is no record at the log's end.
absl::StatusOr<LogEnd> FindLogEnd(int fd);

}  // namespace troika::relay

#endif  // TROIKA_RELAY_LOG_END_H_
