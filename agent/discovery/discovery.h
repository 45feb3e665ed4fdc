// Finds a harness's CLI on this machine and determines its version.
//
//   ProcessRunner runner;
//   absl::StatusOr<Cli> cli = FindCli(backend.cli_names, env,
//                                     {.cache_path = folder + "/clis.json",
//                                      .runner = &runner});
#ifndef TROIKA_AGENT_DISCOVERY_DISCOVERY_H_
#define TROIKA_AGENT_DISCOVERY_DISCOVERY_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agent/backend.h"
#include "agent/discovery/command_runner.h"
#include "agent/discovery/environment.h"
#include "agent/launch/launch.h"

namespace troika {

struct FindCliOptions {
  // File that remembers versions (agent/discovery/version_cache.h), so that all
  // processes together run a program's --version once per update. If empty, it
  // is run each time, as it is for a program with several names.
  std::string cache_path;
  // Some CLIs use five seconds of CPU time to print their version, and the
  // machine may be busy.
  absl::Duration deadline = absl::Seconds(60);
  // Borrowed. If null, no program is run and the call does not block; a version
  // that is not remembered stays empty.
  CommandRunner* /*nullable*/ runner = nullptr;
};

// Searches the variables of `names` in order, then PATH. A variable holds a
// file's path or the name of a program on PATH; if that is not executable, the
// result is FailedPrecondition, because somebody set it on purpose. NotFound
// says how to install the CLI; other errors are those of `PROGRAM --version`.
// The version is empty if the program does not print one. Relative folders in
// PATH are skipped. The CLI's sandbox is probed once for each update of the
// program and each change of the surroundings (agent/discovery/sandbox.h); the
// outcome is remembered in the same file.
absl::StatusOr<Cli> FindCli(const CliNames& names, const Environment& env,
                            const FindCliOptions& options);

}  // namespace troika

#endif  // TROIKA_AGENT_DISCOVERY_DISCOVERY_H_
