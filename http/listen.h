// Sockets that wait for clients.
#ifndef TROIKA_HTTP_LISTEN_H_
#define TROIKA_HTTP_LISTEN_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/fd.h"

namespace troika::http {

// `host` is an address such as 127.0.0.1 or ::1, no name. Port 0: any that is
// free. AlreadyExists where the port is taken.
absl::StatusOr<UniqueFd> ListenTcp(absl::string_view host, int port);
// The port of a socket of ListenTcp().
int BoundPort(int fd);

// Makes the socket `name` in the folder, for the owner only. A socket that
// nobody listens on is replaced; AlreadyExists where somebody does, or where
// `name` is no socket.
absl::StatusOr<UniqueFd> ListenUnix(int dir_fd, const std::string& name);

// Connects to the socket `name` in the folder without waiting. NotFound if
// nobody listens there, Unavailable if too many clients wait there already.
absl::StatusOr<UniqueFd> ConnectUnix(int dir_fd, const std::string& name);

}  // namespace troika::http

#endif  // TROIKA_HTTP_LISTEN_H_
