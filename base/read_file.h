// Reads regular files whose size is bounded. A path from a user may name a
// pipe, a device, a sparse file of terabytes, or a file that grows while it is
// read: none of them may block us or fill the memory.
//
//   ASSIGN_OR_RETURN(const std::string schema,
//                    ReadFileUpTo(path, kMaxSchemaBytes));
//
// All functions are thread-safe. They read from a disk, so none belongs on the
// event loop's thread. Errors name the path: InvalidArgument if the file is not
// a regular one or exceeds the limit, otherwise the code of the system's error
// (NotFound, PermissionDenied, …).
#ifndef TROIKA_BASE_READ_FILE_H_
#define TROIKA_BASE_READ_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/fd.h"

namespace troika {

// Returns the whole file. Reads at most `limit` + 1 bytes, whatever its size.
absl::StatusOr<std::string> ReadFileUpTo(const std::string& path, size_t limit);
// `name` is relative to the folder `dir_fd`, as for openat(2).
absl::StatusOr<std::string> ReadFileUpTo(int dir_fd, const std::string& name,
                                         size_t limit);

// Returns at most `limit` bytes from the start or the end of a file of any
// size.
absl::StatusOr<std::string> ReadFileHead(const std::string& path, size_t limit);
absl::StatusOr<std::string> ReadFileTail(const std::string& path, size_t limit);

// Returns the error that ReadFileUpTo would return before its first read.
absl::Status CheckFileUpTo(const std::string& path, size_t limit);

// Appends at most `count` bytes from `offset` on to `out`, fewer if the file
// ends before, and returns their number. `name` is for the error.
absl::StatusOr<size_t> ReadAt(int fd, int64_t offset, size_t count,
                              absl::string_view name, std::string* out);

// A regular file, opened without blocking.
struct RegularFile {
  UniqueFd fd;
  int64_t size = 0;
};
absl::StatusOr<RegularFile> OpenRegularFile(int dir_fd,
                                            const std::string& name);

// Formats a limit for errors: "1 MiB", "4096 bytes".
std::string ByteLimitText(size_t bytes);

}  // namespace troika

#endif  // TROIKA_BASE_READ_FILE_H_
