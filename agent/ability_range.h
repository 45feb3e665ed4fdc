// Tells what an agent can do from the options that it is started with.
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

// `version` is empty if any version may be started. What the CLI's own settings
// grant or deny is not counted: they are the user's word for all of its agents.
AbilityRange AbilitiesOf(const Backend& backend, const LaunchOptions& options,
                         absl::string_view version);

// The options that say what an agent may do, as an error names them:
// "edit_mode full_auto", "sandbox workspace-write".
std::string PermissionText(const LaunchOptions& options);

}  // namespace troika

#endif  // TROIKA_AGENT_ABILITY_RANGE_H_
