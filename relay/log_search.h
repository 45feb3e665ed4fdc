// Opens a log, and finds its records without reading all of it.
#ifndef TROIKA_RELAY_LOG_SEARCH_H_
#define TROIKA_RELAY_LOG_SEARCH_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "base/fd.h"

namespace troika::relay {

// Opens the log of a task's folder, with `flags` as for open(2). Returns
// NotFound if there is none, DataLoss if it is no regular file. Such a file is
// not of a relay: a pipe would block its reader, and a device has no end.
absl::StatusOr<UniqueFd> OpenLogFile(int dir_fd, int flags);

// Where a log ends.
struct LogEnd {
  int64_t size = 0;  // Size of the file.
  // Size of the last record if it is torn: a line without its end, or a batch
  // that lacks lines. 0 if the log ends with a whole record.
  int64_t torn_bytes = 0;
  bool ends_within_line = false;
  int64_t next_number = 1;  // Past every record that stands in the log.
};

// DataLoss where nothing at the log's end is a record.
absl::StatusOr<LogEnd> FindLogEnd(int fd);

// Where the last record that has a number up to `number` begins, or the batch
// that it is in: a reader that starts there meets the wanted record among the
// first, if the log has it. 0 if there is no such record. Costs a few reads,
// because numbers rise; in a damaged log, where they may not, the place may be
// another one, and whoever does not find the record there starts at 0.
absl::StatusOr<int64_t> FindRecord(int fd, int64_t number);

}  // namespace troika::relay

#endif  // TROIKA_RELAY_LOG_SEARCH_H_
