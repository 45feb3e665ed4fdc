// The command line of troika-server.
#ifndef TROIKA_SERVER_OPTIONS_H_
#define TROIKA_SERVER_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/access.h"
#include "server/server_lock.h"
#include "server/start_queue.h"
#include "task/notes.h"

namespace troika {

struct ServerOptions {
  std::string host = "127.0.0.1";  // Empty: no TCP.
  int port = 4747;                 // 0: any.
  AccessOptions::Reach reach = AccessOptions::Reach::kLoopback;
  std::vector<std::string> hosts;  // More names that we are known by.
  enum class Demo { kOff, kOn };
  Demo demo = Demo::kOff;
  ServerLock::Origin origin = ServerLock::Origin::kServe;
  // An automatic server leaves when it has had nothing to do for idle_exit.
  enum class Life { kUntilTold, kWhileNeeded };
  Life life = Life::kUntilTold;
  absl::Duration idle_exit = absl::Minutes(10);
  StartLimits limits;
  int max_queued = 10000;
  // For tasks that are made without one; unset: none.
  std::optional<absl::Duration> approval_timeout;
  notes::Budget budget;      // For limits that tasks are made without.
  notes::Budget day_budget;  // Cost and tokens of all tasks within a day.
  absl::Duration keep_for = absl::InfiniteDuration();
  int64_t keep_bytes = 0;  // 0: any.
  // The descriptor on which the server says how its start went (main.cc), or
  // -1.
  int ready_fd = -1;
  std::vector<std::string> flags;  // The command line that all this is from.
};

// InvalidArgument says what is wrong.
absl::StatusOr<ServerOptions> ReadServerOptions(
    absl::Span<const std::string> args);

absl::string_view ServerHelp();

}  // namespace troika

#endif  // TROIKA_SERVER_OPTIONS_H_
