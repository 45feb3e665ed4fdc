// The server: one process, one loop, the tasks of one state folder.
#ifndef TROIKA_SERVER_SERVER_H_
#define TROIKA_SERVER_SERVER_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "agent/discovery/environment.h"
#include "server/options.h"

namespace troika {

struct ServerReady {
  std::string url;     // Where clients reach it, or the path of its socket.
  std::string notice;  // For the user, such as about a server that was killed.
};

// Serves until a signal (stop_signals.h), or until nobody needs the server.
// Agents go on, and the next server takes them up. `on_ready` is called once,
// when requests are accepted. AlreadyExists if another server serves the
// folder, PermissionDenied if an agent may not start one (below_agent.h).
absl::Status Serve(const ServerOptions& options, const Environment& environment,
                   absl::FunctionRef<void(const ServerReady&)> on_ready);

}  // namespace troika

#endif  // TROIKA_SERVER_SERVER_H_
