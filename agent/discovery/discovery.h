// Finds a harness's CLI on this machine, and which version it is.
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
  // Where versions are remembered (agent/discovery/version_cache.h), so that a
  // program is asked once for each of its updates, by all processes together.
  // Empty: it is asked each time, as is a program of several names.
  std::string cache_path;
  // Some CLIs take five seconds of CPU to say their version, and the machine
  // may be busy.
  absl::Duration deadline = absl::Seconds(60);
  // Borrowed. Null: no program is asked, so that this does not block; a version
  // that is not remembered is left empty.
  CommandRunner* /*nullable*/ runner = nullptr;
};

// By the variables of `names`, in their order, then on PATH. A variable names a
// file, or a program to look for on PATH; one that names nothing which can be
// executed is a FailedPrecondition, as somebody meant it. NotFound says how to
// install the CLI; other errors are those of `PROGRAM --version`. A version
// that the program does not say is left empty. Programs in folders that PATH
// names relatively are passed over. Whether the CLI's sandbox works is probed
// once for each update of the program and each change of the surroundings
// (agent/discovery/sandbox.h), and remembered in the same file.
absl::StatusOr<Cli> FindCli(const CliNames& names, const Environment& env,
                            const FindCliOptions& options);

}  // namespace troika

#endif  // TROIKA_AGENT_DISCOVERY_DISCOVERY_H_
