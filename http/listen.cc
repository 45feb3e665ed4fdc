#include "http/listen.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace troika::http {
namespace {

constexpr int kBacklog = 511;

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
  UniqueFd fd(
      socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
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

}  // namespace troika::http
