// Makes tasks: a folder and a log with the request and its first turn. They are
// run (runner.h) at once or later, maybe by another process.
#ifndef TROIKA_TASK_MAKE_H_
#define TROIKA_TASK_MAKE_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/backend.h"
#include "agent/discovery/environment.h"
#include "agent/launch/launch.h"
#include "base/clock.h"
#include "relay/log_writer.h"
#include "task/home.h"
#include "task/request.h"

namespace troika {

// A new task and what its first process is started with.
struct MadeTask {
  TaskFolder folder;
  relay::LogWriter log;  // Locked, and written.
  Environment environment;
  Cli cli;
};

// Makes a task that waits for its first turn. It survives a loss of power only
// after SyncTask(). Nothing is left behind if the request makes no sense,
// its CLI is missing, or the disk is full. `request.cwd` must be absolute
// (MakePathsAbsolute). `cli` is what was found with the same environment. The
// task keeps ForAgents(environment); InvalidArgument if that is too much for a
// program to be started with. `take_folder`, if it is set, returns the path of
// a prepared folder or an empty string. `clock` is borrowed. Thread-safe.
absl::StatusOr<MadeTask> MakeTask(
    const Home& home, TaskRequest request, const Environment& environment,
    absl::StatusOr<Cli> cli, Clock* clock,
    const std::function<std::string()>& take_folder = nullptr);

// Makes a new task survive a loss of power. Another process may have its log.
// Thread-safe, and blocks.
absl::Status SyncTask(const TaskFolder& folder);

// A launch with what its harness wants to have read beforehand.
absl::StatusOr<LaunchRequest> CompleteLaunch(LaunchRequest request,
                                             const Backend& backend);

// As FindCli, with the names of that harness.
absl::StatusOr<Cli> FindCliOf(const Backend& backend,
                              const Environment& environment,
                              const std::string& version_cache);

}  // namespace troika

#endif  // TROIKA_TASK_MAKE_H_
