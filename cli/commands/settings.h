// Settings of `troika run` that its flags leave open: from the environment, or
// from the configuration file, for the folder or for all.
#ifndef TROIKA_CLI_COMMANDS_SETTINGS_H_
#define TROIKA_CLI_COMMANDS_SETTINGS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/discovery/environment.h"
#include "config/config.h"

namespace troika::cli {

struct Setting {
  absl::string_view name;  // As the file has it: edit_mode.
  std::string value;       // Empty if nobody has set it.
  std::string source;      // "TROIKA_MODEL", or the table of the file.
  bool is_limit = false;   // RunKey::is_limit
};

// Returns all settings that hold in the folder `cwd`, an absolute path. The
// environment counts before the file, and of its folders the deepest.
std::vector<Setting> SettingsFor(const Config& config, const Environment& env,
                                 absl::string_view cwd);

// Returns the value of a setting, or empty.
std::string ValueOf(const std::vector<Setting>& settings,
                    absl::string_view name);

}  // namespace troika::cli

#endif  // TROIKA_CLI_COMMANDS_SETTINGS_H_
