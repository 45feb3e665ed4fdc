// Reads Claude Code's files in $CLAUDE_CONFIG_DIR or ~/.claude: its login, and
// its sessions, which have a folder for each working folder.
#ifndef TROIKA_AGENT_CLAUDE_HOME_H_
#define TROIKA_AGENT_CLAUDE_HOME_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/discovery/environment.h"

namespace troika::claude {

// Implements Backend::LooksLoggedIn.
std::optional<bool> LooksLoggedIn(const Environment& env);

// Implements Backend::LatestSession. Skips the sessions of subagents.
absl::StatusOr<std::string> LatestSession(absl::string_view cwd,
                                          const Environment& env);

// Returns the name of the folder for `cwd`, in which all characters except
// letters and digits become dashes. The CLI cuts names over 200 characters and
// appends a hash, which is not done here.
std::string ProjectFolder(absl::string_view cwd);

}  // namespace troika::claude

#endif  // TROIKA_AGENT_CLAUDE_HOME_H_
