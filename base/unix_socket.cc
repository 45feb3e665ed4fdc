#include "base/unix_socket.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace troika {
namespace {

constexpr int kBacklog = 512;

absl::StatusOr<sockaddr_un> AddressOf(int dir_fd, const std::string& name) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string path = absl::StrCat("/proc/self/fd/", dir_fd, "/", name);
  if (path.size() >= sizeof(address.sun_path)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the socket's name ", name, " is too long"));
  }
  path.copy(address.sun_path, path.size());
  return address;
}

absl::StatusOr<UniqueFd> NewSocket() {
  UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.ok()) return absl::ErrnoToStatus(errno, "make a socket");
  return fd;
}

// Removes the socket of a process that is gone.
absl::Status RemoveStale(int dir_fd, const std::string& name) {
  struct stat info;
  if (fstatat(dir_fd, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return absl::OkStatus();
    return absl::ErrnoToStatus(errno, absl::StrCat("stat ", name));
  }
  if (!S_ISSOCK(info.st_mode)) {
    return absl::AlreadyExistsError(
        absl::StrCat("listen on ", name,
                     ": a file that is no socket has this name; move "
                     "it away"));
  }
  if (!absl::IsNotFound(ConnectUnix(dir_fd, name).status())) {
    return absl::AlreadyExistsError(absl::StrCat(
        "listen on ", name, ": another program listens there; stop it first"));
  }
  if (unlinkat(dir_fd, name.c_str(), 0) != 0 && errno != ENOENT) {
    return absl::ErrnoToStatus(errno, absl::StrCat("remove ", name));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<UniqueFd> ListenUnix(int dir_fd, const std::string& name) {
  ASSIGN_OR_RETURN(const sockaddr_un address, AddressOf(dir_fd, name));
  RETURN_IF_ERROR(RemoveStale(dir_fd, name));
  ASSIGN_OR_RETURN(UniqueFd fd, NewSocket());
  // Must precede bind(), which gives the file the socket's mode: the file is
  // never open to others.
  if (fchmod(fd.get(), 0600) != 0 ||
      bind(fd.get(), reinterpret_cast<const sockaddr*>(&address),
           sizeof(address)) != 0 ||
      listen(fd.get(), kBacklog) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("listen on ", name));
  }
  return fd;
}

absl::StatusOr<UniqueFd> ConnectUnix(int dir_fd, const std::string& name) {
  ASSIGN_OR_RETURN(const sockaddr_un address, AddressOf(dir_fd, name));
  ASSIGN_OR_RETURN(UniqueFd fd, NewSocket());
  if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&address),
              sizeof(address)) == 0) {
    return fd;
  }
  const std::string what = absl::StrCat("connect to ", name);
  if (errno == ECONNREFUSED || errno == ENOENT) {
    return absl::NotFoundError(absl::StrCat(what, ": nobody listens there"));
  }
  if (errno == EAGAIN) {
    return absl::UnavailableError(
        absl::StrCat(what, ": too many clients wait there"));
  }
  return absl::ErrnoToStatus(errno, what);
}

}  // namespace troika
