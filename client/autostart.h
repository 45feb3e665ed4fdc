// Starts a server if a command needs one and none runs.
#ifndef TROIKA_CLIENT_AUTOSTART_H_
#define TROIKA_CLIENT_AUTOSTART_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/discovery/environment.h"
#include "client/address.h"

namespace troika::client {

// Finds troika-server: TROIKA_SERVER_BIN, else beside this program, where Bazel
// puts it, or in ../libexec/troika. NotFound lists the paths it tried.
absl::StatusOr<std::string> FindServerProgram(const Environment& environment);

// Called with what the user should know about the server that was started.
using StartNotice = std::function<void(absl::string_view)>;

// Starts troika-server for address.home, detached from us and our terminal, and
// returns when it serves. It prints to server.log in that folder. Returns OK
// too if another server serves there already; waits for the end of one that is
// stopping. PermissionDenied if we run below an agent of that folder, because
// the server would end with the agent. Other errors have the server's message.
// `address` must be local.
absl::Status StartServer(const ServerAddress& address,
                         const Environment& environment,
                         const StartNotice& notice);

// StartServer as a function, for ApiOptions and EventStreamOptions; null if
// `address` is not local or TROIKA_NO_AUTOSTART is set.
std::function<absl::Status()> Starter(const ServerAddress& address,
                                      const Environment& environment,
                                      StartNotice notice);

}  // namespace troika::client

#endif  // TROIKA_CLIENT_AUTOSTART_H_
