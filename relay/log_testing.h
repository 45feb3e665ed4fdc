// For tests that treat logs as bytes.
#ifndef TROIKA_RELAY_LOG_TESTING_H_
#define TROIKA_RELAY_LOG_TESTING_H_

#include <sys/resource.h>

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/fd.h"
#include "relay/testing.h"

namespace troika::relay {

// Returns the bytes of a folder's log.
std::string LogBytes(int dir_fd);
void SetLogBytes(int dir_fd, absl::string_view bytes);

// During its lifetime, writes that make a file larger than this fail as on a
// full disk.
class SizeLimit {
 public:
  explicit SizeLimit(size_t bytes);
  ~SizeLimit();

 private:
  rlimit before_ = {};
};

// Returns a file without a name that holds `bytes`.
UniqueFd FileOf(absl::string_view bytes);

// The records and damages that a reader reported for a log.
struct ReadResult {
  absl::Status status;
  std::string task_id;
  CollectingSink told;

  // Returns a line for each record and each damage, and one for the status.
  std::string Listing() const;
};

// Reads `bytes` as a log that grows by `step` bytes at a time.
ReadResult ReadBytes(absl::string_view bytes, size_t step);

// Returns whether the header, the records and the damages cover `bytes` in
// order and without a gap.
bool AllAccounted(absl::string_view bytes, const ReadResult& result);

// A log of version 1 with few lines, and all streams, ends and keys.
std::string SmallLog();

// A log of version 2 with batches: of stdout (records 2 to 5), of stderr (7 and
// 8), and at its end (10 and 11). Some of their lines look like records.
std::string BatchLog();

// Returns the header, the records and the batches of a log that is not damaged,
// each with its lines.
std::vector<std::string> PartsOf(absl::string_view bytes);

}  // namespace troika::relay

#endif  // TROIKA_RELAY_LOG_TESTING_H_
