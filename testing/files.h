// Files and temporary folders for tests, fakes and benchmarks.
#ifndef TROIKA_TESTING_FILES_H_
#define TROIKA_TESTING_FILES_H_

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/fd.h"

namespace troika {

absl::StatusOr<std::string> ReadFile(const std::string& path);
// Empty if the file can't be read.
std::string ReadWhole(const std::string& path);

// Replaces the file, and makes the folders that are missing.
absl::Status WriteFile(const std::string& path, absl::string_view bytes,
                       mode_t mode = 0644);

// Writes all of `bytes`, also if signals interrupt it.
absl::Status WriteAll(int fd, absl::string_view bytes);
// Reads up to the end, or to an error.
std::string ReadToEnd(int fd);

// A folder that is removed with all that is in it.
class TempFolder {
 public:
  // `suffix` may have slashes: the folders within are made.
  explicit TempFolder(absl::string_view suffix = "");
  ~TempFolder();

  const std::string& path() const { return path_; }
  int fd() const { return fd_.get(); }

  std::string Path(absl::string_view name) const;
  std::string Read(absl::string_view name) const;
  // Makes the folders on the way. Sets the time of the last change, in seconds
  // since the epoch.
  void Write(absl::string_view name, absl::string_view text,
             int64_t changed = 1000000000) const;
  // A script for /bin/sh.
  void WriteProgram(absl::string_view name, absl::string_view script) const;

 private:
  std::string root_;
  std::string path_;
  UniqueFd fd_;
};

}  // namespace troika

#endif  // TROIKA_TESTING_FILES_H_
