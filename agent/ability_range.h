// Derives from its launch options what an agent can do.
#ifndef TROIKA_AGENT_ABILITY_RANGE_H_
#define TROIKA_AGENT_ABILITY_RANGE_H_

#include <string>

#include "absl/strings/string_view.h"
#include "agent/backend.h"
#include "agent/launch/abilities.h"
#include "agent/launch/launch.h"

namespace troika {

// An agent can do all of `least`, and nothing beyond `most`. They differ if the
// CLI's version, a setting or a value is not known.
struct AbilityRange {
  Abilities least;
  Abilities most;
};

// `version` is empty if it is not known which one will run. The CLI's own
// settings are not counted: the user made them for all agents of this CLI.
AbilityRange AbilitiesOf(const Backend& backend, const LaunchOptions& options,
                         absl::string_view version);

// Whether what a CLI reports as the permissions of its session (Init::
// permission_mode) says that the agent may do everything without asking.
bool ReportsBypass(const Backend& backend, absl::string_view permission_mode);

// Names the options that decide what an agent may do, for error messages:
// "edit_mode full_auto", "sandbox workspace-write".
std::string PermissionText(const LaunchOptions& options);

}  // namespace troika

#endif  // TROIKA_AGENT_ABILITY_RANGE_H_
