// The address at which a relay's socket is bound and reached.
#ifndef TROIKA_RELAY_SOCKET_ADDRESS_H_
#define TROIKA_RELAY_SOCKET_ADDRESS_H_

#include <sys/socket.h>
#include <sys/un.h>

#include <cstdio>

#include "relay/frame.h"

namespace troika::relay {

// The address goes through the folder's descriptor, because paths are often
// longer than the 108 bytes that a socket's address has room for.
inline sockaddr_un SocketAddress(int dir_fd) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/%s",
           dir_fd, kSocketName);
  return address;
}

}  // namespace troika::relay

#endif  // TROIKA_RELAY_SOCKET_ADDRESS_H_
