// Reads what Claude Code keeps under $CLAUDE_CONFIG_DIR or ~/.claude: its
// login, and its sessions in a folder for each working folder.
#ifndef TROIKA_AGENT_CLAUDE_HOME_H_
#define TROIKA_AGENT_CLAUDE_HOME_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/discovery/environment.h"

namespace troika::claude {

// As Backend::LooksLoggedIn.
std::optional<bool> LooksLoggedIn(const Environment& env);

// As Backend::LatestSession. Skips the sessions of subagents.
absl::StatusOr<std::string> LatestSession(absl::string_view cwd,
                                          const Environment& env);

// The name of the folder for `cwd`: all but letters and digits become dashes.
// Of a name over 200 characters the CLI keeps the start and adds a hash, which
// is not in here.
std::string ProjectFolder(absl::string_view cwd);

}  // namespace troika::claude

#endif  // TROIKA_AGENT_CLAUDE_HOME_H_
