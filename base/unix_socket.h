// Unix sockets in a folder. Their addresses go through the folder's descriptor,
// because paths are often longer than the 108 bytes that an address has room
// for.
#ifndef TROIKA_BASE_UNIX_SOCKET_H_
#define TROIKA_BASE_UNIX_SOCKET_H_

#include <string>

#include "absl/status/statusor.h"
#include "base/fd.h"

namespace troika {

// Creates the socket `name` in the folder, for the owner only, and listens
// without blocking. Replaces a socket that nobody listens on. Returns
// AlreadyExists if somebody does, or if `name` is not a socket.
absl::StatusOr<UniqueFd> ListenUnix(int dir_fd, const std::string& name);

// Connects to the socket `name` in the folder without waiting. Returns NotFound
// if nobody listens there, Unavailable if too many clients wait already.
absl::StatusOr<UniqueFd> ConnectUnix(int dir_fd, const std::string& name);

}  // namespace troika

#endif  // TROIKA_BASE_UNIX_SOCKET_H_
