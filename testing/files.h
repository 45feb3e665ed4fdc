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
// Returns an empty string if the file can't be read.
std::string ReadWhole(const std::string& path);

// Replaces the file and creates missing folders.
absl::Status WriteFile(const std::string& path, absl::string_view bytes,
                       mode_t mode = 0644);

// Writes all of `bytes`, even if signals interrupt it.
absl::Status WriteAll(int fd, absl::string_view bytes);
// Reads until the end or an error.
std::string ReadToEnd(int fd);

// A folder that is removed with its content on destruction.
class TempFolder {
 public:
  // `suffix` may contain slashes; the folders in it are created.
  explicit TempFolder(absl::string_view suffix = "");
  ~TempFolder();

  const std::string& path() const { return path_; }
  int fd() const { return fd_.get(); }

  std::string Path(absl::string_view name) const;
  std::string Read(absl::string_view name) const;
  // Creates missing folders. The modification time is in Unix seconds.
  void Write(absl::string_view name, absl::string_view text,
             int64_t changed = 1000000000) const;
  // Writes an executable script for /bin/sh.
  void WriteProgram(absl::string_view name, absl::string_view script) const;

 private:
  std::string root_;
  std::string path_;
  UniqueFd fd_;
};

}  // namespace troika

#endif  // TROIKA_TESTING_FILES_H_
