#include "base/read_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace troika {
namespace {

// Size of the first buffer, which then doubles, because the size that a file
// claims may be wrong.
constexpr size_t kFirstBytes = size_t{64} << 10;

absl::string_view KindOf(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

absl::Status SystemError(absl::string_view name) {
  return absl::ErrnoToStatus(errno, absl::StrCat("read ", name));
}

absl::Status CheckRegular(const struct stat& info, absl::string_view name) {
  if (S_ISREG(info.st_mode)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("read ", name, ": it is ", KindOf(info.st_mode),
                   ", not a regular file: name another one"));
}

absl::Status OverLimit(absl::string_view name, size_t limit) {
  return absl::InvalidArgumentError(absl::StrCat(
      "read ", name, ": it is over the limit of ", ByteLimitText(limit)));
}

// Returns at most `count` bytes from `offset` on, or fewer if the file ends
// before.
absl::StatusOr<std::string> ReadAt(int fd, int64_t offset, size_t count,
                                   absl::string_view name) {
  std::string bytes;
  while (bytes.size() < count) {
    const size_t had = bytes.size();
    bytes.resize(std::min(count, std::max(kFirstBytes, 2 * had)));
    const ssize_t n = pread(fd, bytes.data() + had, bytes.size() - had,
                            offset + static_cast<int64_t>(had));
    bytes.resize(had + static_cast<size_t>(std::max<ssize_t>(n, 0)));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return SystemError(name);
    if (n == 0) break;
  }
  return bytes;
}

absl::Status CheckSize(const RegularFile& file, absl::string_view name,
                       size_t limit) {
  if (file.size <= 0 || static_cast<size_t>(file.size) <= limit) {
    return absl::OkStatus();
  }
  return OverLimit(name, limit);
}

}  // namespace

std::string ByteLimitText(size_t bytes) {
  constexpr size_t kMiB = size_t{1} << 20;
  constexpr size_t kKiB = size_t{1} << 10;
  if (bytes >= kMiB && bytes % kMiB == 0) {
    return absl::StrCat(bytes / kMiB, " MiB");
  }
  if (bytes >= kKiB && bytes % kKiB == 0) {
    return absl::StrCat(bytes / kKiB, " KiB");
  }
  return absl::StrCat(bytes, " bytes");
}

absl::StatusOr<RegularFile> OpenRegularFile(int dir_fd,
                                            const std::string& name) {
  if (name.find('\0') != std::string::npos) {
    return absl::InvalidArgumentError("read a file: its name has a NUL byte");
  }
  struct stat info = {};
  // Checks the file before it is opened, because opening a pipe or a device can
  // have effects, and again afterwards, because it may be another file.
  if (fstatat(dir_fd, name.c_str(), &info, 0) != 0) return SystemError(name);
  RETURN_IF_ERROR(CheckRegular(info, name));
  RegularFile file;
  file.fd = UniqueFd(openat(dir_fd, name.c_str(),
                            O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.fd.ok() || fstat(file.fd.get(), &info) != 0) {
    return SystemError(name);
  }
  RETURN_IF_ERROR(CheckRegular(info, name));
  file.size = info.st_size;
  return file;
}

absl::StatusOr<std::string> ReadFileUpTo(int dir_fd, const std::string& name,
                                         size_t limit) {
  ASSIGN_OR_RETURN(const RegularFile file, OpenRegularFile(dir_fd, name));
  RETURN_IF_ERROR(CheckSize(file, name, limit));
  ASSIGN_OR_RETURN(std::string bytes,
                   ReadAt(file.fd.get(), 0, limit + 1, name));
  if (bytes.size() > limit) return OverLimit(name, limit);
  return bytes;
}

absl::StatusOr<std::string> ReadFileUpTo(const std::string& path,
                                         size_t limit) {
  return ReadFileUpTo(AT_FDCWD, path, limit);
}

absl::StatusOr<std::string> ReadFileHead(const std::string& path,
                                         size_t limit) {
  ASSIGN_OR_RETURN(const RegularFile file, OpenRegularFile(AT_FDCWD, path));
  return ReadAt(file.fd.get(), 0, limit, path);
}

absl::StatusOr<std::string> ReadFileTail(const std::string& path,
                                         size_t limit) {
  ASSIGN_OR_RETURN(const RegularFile file, OpenRegularFile(AT_FDCWD, path));
  const int64_t from =
      std::max<int64_t>(file.size - static_cast<int64_t>(limit), 0);
  return ReadAt(file.fd.get(), from, limit, path);
}

absl::Status CheckFileUpTo(const std::string& path, size_t limit) {
  ASSIGN_OR_RETURN(const RegularFile file, OpenRegularFile(AT_FDCWD, path));
  return CheckSize(file, path, limit);
}

}  // namespace troika
