#include "http/listen.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace troika::http {
namespace {

constexpr int kBacklog = 511;

}  // namespace

absl::StatusOr<UniqueFd> ListenTcp(absl::string_view host, int port) {
  const std::string where = absl::StrCat("listen on ", host, " port ", port);
  sockaddr_storage address = {};
  auto* const v4 = reinterpret_cast<sockaddr_in*>(&address);
  auto* const v6 = reinterpret_cast<sockaddr_in6*>(&address);
  const std::string text(host);
  if (inet_pton(AF_INET, text.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(static_cast<uint16_t>(port));
  } else if (inet_pton(AF_INET6, text.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(static_cast<uint16_t>(port));
  }
  if (address.ss_family == AF_UNSPEC || port < 0 || port > UINT16_MAX) {
    return absl::InvalidArgumentError(
        absl::StrCat(where, ": give an address such as 127.0.0.1 and a port"));
  }
  UniqueFd fd(
      socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.ok()) return absl::ErrnoToStatus(errno, where);
  const int on = 1;
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (bind(fd.get(), reinterpret_cast<const sockaddr*>(&address),
           address.ss_family == AF_INET ? sizeof(*v4) : sizeof(*v6)) != 0 ||
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
