// Starts the processes of a task: finds the CLI, has its backend build the
// command line, and starts a relay with both.
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
#include "relay/log_writer.h"
#include "task/home.h"
#include "task/later.h"
#include "task/replay.h"
#include "task/runner_tools.h"

namespace troika {

// Loop thread only.
class Launcher {
 public:
  // Both are borrowed.
  Launcher(const TaskFolder* folder, RunnerTools* tools)
      : folder_(folder), tools_(tools) {}

  // The environment that processes are started with.
  void set_environment(Environment environment) {
    environment_ = std::move(environment);
  }

  // The CLI as far as it is known without starting it, unless nobody else looks
  // for it (RunnerTools::find_cli).
  Cli KnownCli(const Backend& backend) const;
  // Whether the CLI for the next start has been found, or an error instead of
  // it. False if the task must wait.
  bool FindCli(const Backend& backend);
  // Whether the last FindCli() returned false.
  bool waits_for_cli() const { return waits_for_cli_; }
  void ForgetCli();

  // Starts a process for the turn that waits, with what FindCli() found. An
  // error means that it can't be started, and leaves `log` to the caller; else
  // the relay gets its lock. Its outcome comes from Advance().
  absl::Status Start(const Replay& replay, const Backend& backend,
                     relay::LogWriter& log);
  // The error of a start that failed, once. ResourceExhausted may pass: the CLI
  // is kept for another try.
  absl::Status Advance();

  // Whether a process is on its way.
  bool starting() const { return ready_.ok() || start_relay_.busy(); }
  // Whether work that blocks is under way.
  bool running() const { return start_relay_.running(); }
  // The descriptor by which a starting relay says that it serves; may be none.
  const UniqueFd& ready() const { return ready_; }
  // How many relays were started.
  int64_t starts() const { return starts_; }

 private:
  const TaskFolder* const folder_;
  RunnerTools* const tools_;
  Environment environment_;
  // The CLI for the next start, until that has begun.
  std::optional<absl::StatusOr<Cli>> cli_;
  bool waits_for_cli_ = false;
  Later<absl::StatusOr<UniqueFd>> start_relay_;
  UniqueFd ready_;
  int64_t starts_ = 0;
};

}  // namespace troika

#endif  // TROIKA_TASK_LAUNCHER_H_
