// Starts a server if a command needs one and none runs.
#ifndef TROIKA_CLIENT_AUTOSTART_H_
#define TROIKA_CLIENT_AUTOSTART_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/discovery/environment.h"
#include "client/place.h"

namespace troika::client {

// TROIKA_SERVER_BIN; else beside this program, where Bazel puts it, or in
// ../libexec/troika. NotFound says where it looked.
absl::StatusOr<std::string> FindServerProgram(const Environment& environment);

// Gets what the user should know about the server that was started.
using StartNotice = std::function<void(absl::string_view)>;

// Starts troika-server for place.home, detached from us and our terminal, and
// returns when it serves. It prints to server.log in that folder. If another
// server serves there, or starts at the same time, that is as good; if one
// stops, the new one waits for its end. PermissionDenied if we run below an
// agent of that folder, because the server would end with the agent. Other
// errors have the server's own words. Only for a local place.
absl::Status StartServer(const Place& place, const Environment& environment,
                         const StartNotice& notice);

// StartServer, for ApiOptions and EventStreamOptions; none if the place is not
// local, or TROIKA_NO_AUTOSTART is set.
std::function<absl::Status()> Starter(const Place& place,
                                      const Environment& environment,
                                      StartNotice notice);

}  // namespace troika::client

#endif  // TROIKA_CLIENT_AUTOSTART_H_
