// Says in a few words what an agent may do.
#ifndef TROIKA_AGENT_LAUNCH_PERMISSIONS_TEXT_H_
#define TROIKA_AGENT_LAUNCH_PERMISSIONS_TEXT_H_

#include <optional>
#include <string>

#include "agent/launch/launch.h"

namespace troika {

// Returns "research", or the CLI's own settings: "sandbox workspace-write,
// approval policy never". `mode` is the edit mode that holds, if one does.
std::string PermissionsText(const LaunchOptions& options,
                            std::optional<EditMode> mode);

}  // namespace troika

#endif  // TROIKA_AGENT_LAUNCH_PERMISSIONS_TEXT_H_
