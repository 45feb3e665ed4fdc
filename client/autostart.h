// Starts a server where a command needs one and none runs.
#ifndef TROIKA_CLIENT_AUTOSTART_H_
#define TROIKA_CLIENT_AUTOSTART_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/environment.h"
#include "client/place.h"

namespace troika::client {

// TROIKA_SERVER_BIN; else beside this program, where Bazel puts it, or in
// ../libexec/troika. NotFound says where it looked.
absl::StatusOr<std::string> FindServerProgram(const Environment& environment);

// Starts troika-server for place.home, detached from us and our terminal, and
// returns once it serves. What it prints goes to server.log in that folder.
// Where another one serves there, or just begins to, that is as good. Errors
// have the server's own words. Only for a place that is local.
absl::Status StartServer(const Place& place, const Environment& environment);

// StartServer, for ApiOptions and EventStreamOptions; none of a place that is
// not local, or where TROIKA_NO_AUTOSTART is set.
std::function<absl::Status()> Starter(const Place& place,
                                      const Environment& environment);

// Whether somebody listens on the socket in `home`.
bool ServerListens(const std::string& home);

}  // namespace troika::client

#endif  // TROIKA_CLIENT_AUTOSTART_H_
