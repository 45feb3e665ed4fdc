// Reads regular files whose size is bounded. Whoever may name a file to us may
// name a pipe, a device, a sparse file of terabytes, or one that grows while it
// is read: none of them may block us or fill the memory.
//
//   ASSIGN_OR_RETURN(const std::string schema,
//                    ReadFileUpTo(path, kMaxSchemaBytes));
//
// All functions are thread-safe. They read from a disk, so none belongs on the
// event loop's thread. Errors name the path: InvalidArgument if the file is not
// a regular one or larger than the limit, otherwise the code of the system's
// error (NotFound, PermissionDenied, …).
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

// The whole file. At most `limit` + 1 bytes are read, whatever its size.
absl::StatusOr<std::string> ReadFileUpTo(const std::string& path, size_t limit);
// `name` is relative to the folder `dir_fd`, as for openat(2).
absl::StatusOr<std::string> ReadFileUpTo(int dir_fd, const std::string& name,
                                         size_t limit);

// At most `limit` bytes from the start or the end of a file of any size.
absl::StatusOr<std::string> ReadFileHead(const std::string& path, size_t limit);
absl::StatusOr<std::string> ReadFileTail(const std::string& path, size_t limit);

// Returns the error that ReadFileUpTo would return before its first read.
absl::Status CheckFileUpTo(const std::string& path, size_t limit);

// A regular file, opened without waiting for anybody.
struct RegularFile {
  UniqueFd fd;
  int64_t size = 0;
};
absl::StatusOr<RegularFile> OpenRegularFile(int dir_fd,
                                            const std::string& name);

// "1 MiB", "4096 bytes": as errors show a limit.
std::string ByteLimitText(size_t bytes);

}  // namespace troika

#endif  // TROIKA_BASE_READ_FILE_H_
