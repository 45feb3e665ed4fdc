// What `troika doctor` looks at on this machine.
#ifndef TROIKA_CLI_COMMANDS_DOCTOR_CHECKS_H_
#define TROIKA_CLI_COMMANDS_DOCTOR_CHECKS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "agent/discovery/environment.h"
#include "dto/troika.pb.h"

namespace troika::cli {

struct Check {
  enum class Level { kOk, kWarning, kBad };
  Level level = Level::kOk;
  std::string name;
  std::string text;  // What there is, and where it is not well what to do.
};

// troika-relay and troika-server.
std::vector<Check> CheckPrograms(const Environment& environment);
// That the state folder is the owner's alone, and has room.
std::vector<Check> CheckHome(const std::string& home);
// Whether agents outlive a logout. Files are looked for under `root`, which is
// empty but in tests.
std::vector<Check> CheckLogout(const std::string& root,
                               const Environment& environment);
std::vector<Check> CheckHarnesses(const v1::ListHarnessesResponse& list);

// As systemd reads the value: the last one of these files' texts that is set.
bool KillsUserProcesses(const std::vector<std::string>& texts);

}  // namespace troika::cli

#endif  // TROIKA_CLI_COMMANDS_DOCTOR_CHECKS_H_
