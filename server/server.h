// The server: one process, one loop, the tasks of one state folder.
#ifndef TROIKA_SERVER_SERVER_H_
#define TROIKA_SERVER_SERVER_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "agent/environment.h"
#include "server/options.h"

namespace troika {

// Serves until SIGINT or SIGTERM, or until nobody needs it. Agents go on, and
// the next server takes them up. `on_ready` is called once, with what to tell
// people, when requests are taken.
absl::Status Serve(const ServerOptions& options, const Environment& environment,
                   absl::FunctionRef<void(absl::string_view)> on_ready);

}  // namespace troika

#endif  // TROIKA_SERVER_SERVER_H_
