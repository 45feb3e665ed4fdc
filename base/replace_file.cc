#include "base/replace_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "base/fd.h"

namespace troika {
namespace {

bool WriteAll(int fd, absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

}  // namespace

absl::Status ReplaceFile(const std::string& path, absl::string_view bytes) {
  std::string temporary = absl::StrCat(path, ".XXXXXX");
  const UniqueFd file(mkostemp(temporary.data(), O_CLOEXEC));
  if (!file.ok()) {
    return absl::ErrnoToStatus(errno, absl::StrCat("create ", temporary));
  }
  if (WriteAll(file.get(), bytes) &&
      rename(temporary.c_str(), path.c_str()) == 0) {
    return absl::OkStatus();
  }
  const absl::Status error =
      absl::ErrnoToStatus(errno, absl::StrCat("write ", path));
  unlink(temporary.c_str());
  return error;
}

}  // namespace troika
