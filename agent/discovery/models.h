// Asks a CLI which models it takes.
//
//   ProcessRunner runner;
//   absl::StatusOr<std::vector<std::string>> models =
//       ListModels(backend, cli, env, {.cache_path = folder + "/clis.json",
//                                      .runner = &runner});
#ifndef TROIKA_AGENT_DISCOVERY_MODELS_H_
#define TROIKA_AGENT_DISCOVERY_MODELS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agent/backend.h"
#include "agent/discovery/command_runner.h"
#include "agent/discovery/environment.h"
#include "agent/launch/launch.h"

namespace troika {

struct ListModelsOptions {
  // The file of FindCliOptions::cache_path, where the list is remembered until
  // the program is replaced. FindCli() then returns it as Cli::models.
  std::string cache_path;
  absl::Duration deadline = absl::Seconds(3);
  CommandRunner* runner;  // Borrowed.
};

// Returns the names in the CLI's own order, at least one. Starts a process of
// the CLI that `cli` describes (from FindCli()), unless the list is remembered,
// and blocks until it has replied. Unimplemented if the harness or its version
// has no such list; DeadlineExceeded, FailedPrecondition and Cancelled as
// CommandRunner::Run(), FailedPrecondition also if the reply has no list.
// Errors are not remembered.
absl::StatusOr<std::vector<std::string>> ListModels(
    const Backend& backend, const Cli& cli, const Environment& env,
    const ListModelsOptions& options);

}  // namespace troika

#endif  // TROIKA_AGENT_DISCOVERY_MODELS_H_
