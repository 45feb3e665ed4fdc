// Starts the processes of a task: has the backend build the CLI's command line,
// and starts a relay with it.
#ifndef TROIKA_TASK_LAUNCHER_H_
#define TROIKA_TASK_LAUNCHER_H_

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/backend.h"
#include "agent/discovery/environment.h"
#include "agent/launch/launch.h"
#include "base/fd.h"
#include "relay/client.h"
#include "relay/log_writer.h"
#include "relay/start.h"
#include "task/home.h"
#include "task/later.h"
#include "task/notes.h"
#include "task/replay.h"
#include "task/runner_tools.h"
#include "task/state.h"

namespace troika {

// Replaces the permissions of the task's request by those of a later turn, if
// one has changed them.
void UsePermissionsOf(const TaskState& state, LaunchOptions* options);

// The options of the task's next process: those of its request, as turns have
// changed them since, without images.
LaunchOptions NextOptions(const notes::Request& request,
                          const TaskState& state);

// Loop thread only.
class Launcher {
 public:
  // Both are borrowed.
  Launcher(const TaskFolder* folder, RunnerTools* tools)
      : folder_(folder), tools_(tools) {}

  // Unavailable if the CLI can't take up the session yet, but will in less than
  // a minute.
  absl::Status CheckTime(const Replay& replay, const Backend& backend,
                         const Cli& cli) const;
  // Starts a process of `cli` for the turn that waits. An error means that it
  // can't be started, and leaves `log` to the caller; else the relay gets its
  // lock. Its outcome comes from Advance().
  absl::Status Start(const Replay& replay, const Backend& backend,
                     const Cli& cli, const Environment& environment,
                     relay::LogWriter& log);
  // The error of a start that failed, once. ResourceExhausted may pass.
  // Aborted: the relay that waited for a task did not take it, and is gone;
  // Start() can be called again once the log shows that it had not begun.
  absl::Status Advance();

  // The connection to the relay that was just started, if it has got one.
  std::optional<relay::Client> TakeDriver() {
    return std::exchange(relay_.driver, std::nullopt);
  }

  // Whether a process is on its way.
  bool starting() const { return relay_.ready.ok() || start_relay_.busy(); }
  // Whether work that blocks is under way.
  bool running() const { return start_relay_.running(); }
  // The descriptor by which a starting relay says that it serves; may be none.
  const UniqueFd& ready() const { return relay_.ready; }
  // When to call Advance() even if it says nothing.
  absl::Time wake_at() const {
    if (!relay_.ready.ok()) return absl::InfiniteFuture();
    return relay_.spare.ok() ? spare_due_ : give_up_;
  }
  // The wire of the process that was started last.
  Wire wire() const { return wire_; }
  // How many relays were started.
  int64_t starts() const { return starts_; }

 private:
  // Gives the task to a relay that waits for one; false if there is none.
  bool HandOver(const relay::RelaySpec& spec, relay::LogWriter& log);
  void OnStarting(relay::StartingRelay relay);

  const TaskFolder* const folder_;
  RunnerTools* const tools_;
  Later<absl::StatusOr<relay::StartingRelay>> start_relay_;
  relay::StartingRelay relay_;
  absl::Time give_up_;    // A relay that has not started then is killed.
  absl::Time spare_due_;  // So is a spare that has not taken its task then.
  bool use_spare_ = true;
  int64_t starts_ = 0;
  Wire wire_ = Wire::kStreamJson;
};

}  // namespace troika

#endif  // TROIKA_TASK_LAUNCHER_H_
