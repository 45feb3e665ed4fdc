// Keeps the lines that a user has typed, in a file of the state folder.
#ifndef TROIKA_CLI_ATTACH_HISTORY_H_
#define TROIKA_CLI_ATTACH_HISTORY_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace troika::cli {

// Name of the file in the state folder.
inline constexpr absl::string_view kHistoryName = "/input_history";

// Several processes may use the same file: each adds its lines, and reads those
// of others when it starts.
class HistoryFile {
 public:
  static constexpr size_t kMaxLines = 500;
  // Longer lines are not kept, because a file of them could not be read soon.
  static constexpr size_t kMaxLineBytes = size_t{256} << 10;
  static constexpr size_t kMaxFileBytes = size_t{1} << 20;

  // The file may be missing.
  explicit HistoryFile(std::string path) : path_(std::move(path)) {}

  // Returns the last lines, the oldest first.
  absl::StatusOr<std::vector<std::string>> Load() const;
  // Adds a line. A file that has become too long is cut to its last lines.
  absl::Status Add(absl::string_view line) const;

 private:
  absl::Status Shorten() const;

  const std::string path_;
};

}  // namespace troika::cli

#endif  // TROIKA_CLI_ATTACH_HISTORY_H_
