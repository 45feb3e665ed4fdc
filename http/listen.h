// Creates listening TCP sockets.
#ifndef TROIKA_HTTP_LISTEN_H_
#define TROIKA_HTTP_LISTEN_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/fd.h"

namespace troika::http {

// `host` is an address such as 127.0.0.1 or ::1, not a name. Port 0 means any
// free port. Returns AlreadyExists if the port is taken.
absl::StatusOr<UniqueFd> ListenTcp(absl::string_view host, int port);
// Returns the port of a socket of ListenTcp().
int BoundPort(int fd);

}  // namespace troika::http

#endif  // TROIKA_HTTP_LISTEN_H_
