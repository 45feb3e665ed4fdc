// Makes tasks: a folder and a log with the request and its first turn. They are
// run (runner.h) later, maybe by another process.
#ifndef TROIKA_TASK_MAKE_H_
#define TROIKA_TASK_MAKE_H_

#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "agent/backend.h"
#include "agent/discovery/environment.h"
#include "agent/launch/launch.h"
#include "base/clock.h"
#include "task/home.h"
#include "task/request.h"

namespace troika {

struct MakeTaskTools {
  Clock* clock = nullptr;     // Borrowed.
  std::string version_cache;  // Home::version_cache().
  std::string by = "user";    // As notes have it.
  // Finds the harness's CLI; unset: FindCli with that cache, which may start
  // the CLI to ask for its version.
  absl::AnyInvocable<absl::StatusOr<Cli>(const Backend&, const Environment&)>
      find_cli;
};

// Makes a task that waits for its first turn; it survives a loss of power.
// Nothing is left behind where the request makes no sense, its CLI is missing,
// or the disk is full. `request.cwd` must be absolute (MakePathsAbsolute).
// The task keeps ForAgents(environment); InvalidArgument if that is too much
// for a program to be started with. Thread-safe, and blocks.
absl::StatusOr<TaskFolder> MakeTask(const Home& home, TaskRequest request,
                                    const Environment& environment,
                                    MakeTaskTools tools);

// A launch with what its harness wants to have read beforehand.
absl::StatusOr<LaunchRequest> CompleteLaunch(LaunchRequest request,
                                             const Backend& backend);

// As FindCli, with the names of that harness.
absl::StatusOr<Cli> FindCliOf(const Backend& backend,
                              const Environment& environment,
                              const std::string& version_cache);

}  // namespace troika

#endif  // TROIKA_TASK_MAKE_H_
