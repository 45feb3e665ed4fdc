#include "http/listen.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace troika::http {
namespace {

constexpr int kBacklog = 511;
constexpr int kSocketFlags = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;

// The address goes through the folder's descriptor, because paths are often
// longer than the 108 bytes that a socket's address has room for.
absl::StatusOr<sockaddr_un> UnixAddress(int dir_fd, const std::string& name) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string path = absl::StrCat("/proc/self/fd/", dir_fd, "/", name);
  if (path.size() >= sizeof(address.sun_path)) {
    return absl::InvalidArgumentError(
        absl::StrCat("listen on ", name, ": the name is too long"));
  }
  path.copy(address.sun_path, path.size());
  return address;
}

// Removes the socket of a server that is gone.
absl::Status RemoveStale(int dir_fd, const std::string& name) {
  struct stat info;
  if (fstatat(dir_fd, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return absl::OkStatus();
    return absl::ErrnoToStatus(errno, absl::StrCat("look at ", name));
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

absl::StatusOr<UniqueFd> ListenTcp(absl::string_view host, int port) {
  const std::string where = absl::StrCat("listen on ", host, " port ", port);
  addrinfo hints = {};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(std::string(host).c_str(),
                                absl::StrCat(port).c_str(), &hints, &found);
  if (error != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(where, ": ", gai_strerror(error),
                     "; give an address such as 127.0.0.1 and a port"));
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found,
                                                             &freeaddrinfo);
  UniqueFd fd(socket(found->ai_family, kSocketFlags, 0));
  if (!fd.ok()) return absl::ErrnoToStatus(errno, where);
  const int on = 1;
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (bind(fd.get(), found->ai_addr, found->ai_addrlen) != 0 ||
      listen(fd.get(), kBacklog) != 0) {
    if (errno == EADDRINUSE) {
      return absl::AlreadyExistsError(absl::StrCat(
          where, ": another program has this port; stop it or choose another"));
    }
    return absl::ErrnoToStatus(errno, where);
  }
  return fd;
}

int BoundPort(int fd) {
  sockaddr_storage address = {};
  socklen_t size = sizeof(address);
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  if (address.ss_family == AF_INET6) {
    return ntohs(reinterpret_cast<sockaddr_in6*>(&address)->sin6_port);
  }
  return ntohs(reinterpret_cast<sockaddr_in*>(&address)->sin_port);
}

absl::StatusOr<UniqueFd> ConnectUnix(int dir_fd, const std::string& name) {
  ASSIGN_OR_RETURN(const sockaddr_un address, UnixAddress(dir_fd, name));
  UniqueFd fd(socket(AF_UNIX, kSocketFlags, 0));
  if (!fd.ok()) return absl::ErrnoToStatus(errno, "make a socket");
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

absl::StatusOr<UniqueFd> ListenUnix(int dir_fd, const std::string& name) {
  ASSIGN_OR_RETURN(const sockaddr_un address, UnixAddress(dir_fd, name));
  RETURN_IF_ERROR(RemoveStale(dir_fd, name));
  UniqueFd fd(socket(AF_UNIX, kSocketFlags, 0));
  if (!fd.ok()) return absl::ErrnoToStatus(errno, "make a socket");
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

}  // namespace troika::http
