// The checks of `troika doctor`.
#ifndef TROIKA_CLI_COMMANDS_DOCTOR_CHECKS_H_
#define TROIKA_CLI_COMMANDS_DOCTOR_CHECKS_H_

#include <string>
#include <vector>

#include "agent/discovery/environment.h"
#include "dto/troika.pb.h"

namespace troika::cli {

struct Check {
  enum class Level { kOk, kWarning, kBad };
  Level level = Level::kOk;
  std::string name;
  std::string text;  // What was found, and what to do if it is not ok.
};

// Finds troika-relay and troika-server.
std::vector<Check> CheckPrograms(const Environment& environment);
// Checks that only the owner can use the state folder, and that it has room.
std::vector<Check> CheckHome(const std::string& home);
// Checks whether agents outlive a logout. `root` comes before the paths of
// files, for tests.
std::vector<Check> CheckLogout(const std::string& root,
                               const Environment& environment);
std::vector<Check> CheckHarnesses(const v1::ListHarnessesResponse& list);
// A broken configuration, and hooks that can't be told.
std::vector<Check> CheckHooks(const v1::ListHooksResponse& list);

// Reads KillUserProcesses as systemd does: the last setting in `texts` counts.
bool KillsUserProcesses(const std::vector<std::string>& texts);

}  // namespace troika::cli

#endif  // TROIKA_CLI_COMMANDS_DOCTOR_CHECKS_H_
