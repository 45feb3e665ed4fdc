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

absl::Status CheckSize(const RegularFile& file, absl::string_view name,
                       size_t limit) {
  if (file.size <= 0 || static_cast<size_t>(file.size) <= limit) {
    return absl::OkStatus();
  }
  return OverLimit(name, limit);
}

}  // namespace

absl::StatusOr<size_t> ReadAt(int fd, int64_t offset, size_t count,
                              absl::string_view name, std::string* out) {
  const size_t before = out->size();
  size_t done = 0;
  while (done < count) {
    // Grows on demand: `count` may be a limit that the file does not reach.
    const size_t room = std::min(count, std::max(kFirstBytes, 2 * done)) - done;
    out->resize(before + done + room);
    const ssize_t n = pread(fd, out->data() + before + done, room,
                            offset + static_cast<int64_t>(done));
    out->resize(before + done + static_cast<size_t>(std::max<ssize_t>(n, 0)));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      out->resize(before);
      return SystemError(name);
    }
    if (n == 0) break;
    done += static_cast<size_t>(n);
  }
  return done;
}

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
  std::string bytes;
  RETURN_IF_ERROR(ReadAt(file.fd.get(), 0, limit + 1, name, &bytes).status());
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
  std::string bytes;
  RETURN_IF_ERROR(ReadAt(file.fd.get(), 0, limit, path, &bytes).status());
  return bytes;
}

absl::StatusOr<std::string> ReadFileTail(const std::string& path,
                                         size_t limit) {
  ASSIGN_OR_RETURN(const RegularFile file, OpenRegularFile(AT_FDCWD, path));
  const int64_t from =
      std::max<int64_t>(file.size - static_cast<int64_t>(limit), 0);
  std::string bytes;
  RETURN_IF_ERROR(ReadAt(file.fd.get(), from, limit, path, &bytes).status());
  return bytes;
}

absl::Status CheckFileUpTo(const std::string& path, size_t limit) {
  ASSIGN_OR_RETURN(const RegularFile file, OpenRegularFile(AT_FDCWD, path));
  return CheckSize(file, path, limit);
}

}  // namespace troika
