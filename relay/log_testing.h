// For tests of logs as bytes.
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

// The bytes of a folder's log.
std::string LogBytes(int dir_fd);
void SetLogBytes(int dir_fd, absl::string_view bytes);

// While it lives, writes that make a file larger than this fail as on a full
// disk.
class SizeLimit {
 public:
  explicit SizeLimit(size_t bytes);
  ~SizeLimit();

 private:
  rlimit before_ = {};
};

// A file that has no name.
UniqueFd FileOf(absl::string_view bytes);

// What a reader made of a log.
struct ReadResult {
  absl::Status status;
  std::string task_id;
  CollectingSink told;

  // A line for each record and each damage, and one for the status.
  std::string Listing() const;
};

// Reads `bytes` as a log that grows by `step` of them at a time.
ReadResult ReadBytes(absl::string_view bytes, size_t step);

// Whether records, damages and the header are all of `bytes`, in their order
// and without a gap.
bool AllAccounted(absl::string_view bytes, const ReadResult& result);

// A log of version 1 that has few lines, and all streams, ends and keys.
std::string SmallLog();

// A log of version 2 with batches: of stdout (records 2 to 5), of stderr (7 and
// 8), and at its end (10 and 11). Lines of theirs look like records.
std::string BatchLog();

// The header, the records and the batches of a log that is not damaged, each
// with its lines.
std::vector<std::string> PartsOf(absl::string_view bytes);

}  // namespace troika::relay

#endif  // TROIKA_RELAY_LOG_TESTING_H_
