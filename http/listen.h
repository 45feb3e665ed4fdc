// Creates listening sockets and connects to them.
#ifndef TROIKA_HTTP_LISTEN_H_
#define TROIKA_HTTP_LISTEN_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/fd.h"

namespace troika::http {

// `host` is an address such as 127.0.0.1 or ::1, not a name. Port 0 means any
// free port. Returns AlreadyExists if the port is taken.
absl::StatusOr<UniqueFd> ListenTcp(absl::string_view host, int port);
// Returns the port of a socket of ListenTcp().
int BoundPort(int fd);

// Creates the socket `name` in the folder, for the owner only. Replaces a
// socket that nobody listens on. Returns AlreadyExists if somebody does, or if
// `name` is not a socket.
absl::StatusOr<UniqueFd> ListenUnix(int dir_fd, const std::string& name);

// Connects to the socket `name` in the folder without waiting. Returns NotFound
// if nobody listens there, Unavailable if too many clients wait already.
absl::StatusOr<UniqueFd> ConnectUnix(int dir_fd, const std::string& name);

}  // namespace troika::http

#endif  // TROIKA_HTTP_LISTEN_H_
