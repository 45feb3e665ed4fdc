#include "server/server_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace troika {

absl::StatusOr<ServerLock> ServerLock::Take(const std::string& home) {
  const std::string path = home + "/server.lock";
  UniqueFd fd(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!fd.ok()) return absl::ErrnoToStatus(errno, absl::StrCat("open ", path));
  if (flock(fd.get(), LOCK_EX | LOCK_NB) == 0) return ServerLock(std::move(fd));
  if (errno != EWOULDBLOCK) {
    return absl::ErrnoToStatus(errno, absl::StrCat("lock ", path));
  }
  char text[512];
  const ssize_t n = pread(fd.get(), text, sizeof(text), 0);
  const absl::string_view who = absl::StripAsciiWhitespace(
      absl::string_view(text, n > 0 ? static_cast<size_t>(n) : 0));
  return absl::AlreadyExistsError(absl::StrCat(
      "another troika-server serves ", home, who.empty() ? "" : ": ", who));
}

absl::Status ServerLock::Tell(absl::string_view url) {
  const std::string text = absl::StrCat("pid ", getpid(), ", ", url, "\n");
  if (ftruncate(fd_.get(), 0) != 0 ||
      pwrite(fd_.get(), text.data(), text.size(), 0) !=
          static_cast<ssize_t>(text.size())) {
    return absl::ErrnoToStatus(errno, "write server.lock");
  }
  return absl::OkStatus();
}

}  // namespace troika
