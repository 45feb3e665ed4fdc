// Finds a harness's CLI on this machine and determines its version.
//
//   ProcessRunner runner;
//   absl::StatusOr<Cli> cli = FindCli(backend.cli_names, env,
//                                     {.cache_path = folder + "/clis.json",
//                                      .runner = &runner});
#ifndef TROIKA_AGENT_DISCOVERY_DISCOVERY_H_
#define TROIKA_AGENT_DISCOVERY_DISCOVERY_H_

#include <map>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/backend.h"
#include "agent/discovery/command_runner.h"
#include "agent/discovery/environment.h"
#include "agent/discovery/version_cache.h"
#include "agent/launch/launch.h"
#include "base/mutex.h"

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

// Returns the path of a program in one of PATH's folders; empty if it is in
// none. Relative folders are skipped.
std::string FindOnPath(absl::string_view program, const Environment& env);

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

// Remembers CLIs for a minute after they were found, so that a task's start
// need not wait for a thread. Thread-safe.
class CliMemory {
 public:
  // The CLI that Find() returned for the same program, unless that was replaced
  // since. Does not block.
  std::optional<Cli> Remembered(const CliNames& names,
                                const Environment& env) const;
  // Does the same as FindCli(). Remembers the CLI if its sandbox works, and if
  // the version depends on the file alone.
  absl::StatusOr<Cli> Find(const CliNames& names, const Environment& env,
                           const FindCliOptions& options);

 private:
  struct Entry {
    FileIdentity identity;
    absl::Time found;
    Cli cli;
  };

  mutable Mutex mutex_;
  std::map<std::string, Entry> entries_ ABSL_GUARDED_BY(mutex_);  // By path.
};

}  // namespace troika

#endif  // TROIKA_AGENT_DISCOVERY_DISCOVERY_H_
