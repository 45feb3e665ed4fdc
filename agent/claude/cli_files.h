// Reads Claude Code's files in $CLAUDE_CONFIG_DIR or ~/.claude: its login, and
// its sessions, which have a folder for each working folder.
#ifndef TROIKA_AGENT_CLAUDE_CLI_FILES_H_
#define TROIKA_AGENT_CLAUDE_CLI_FILES_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "agent/discovery/environment.h"
#include "agent/discovery/native_sessions.h"

namespace troika::claude {

// See Backend::login_variables.
absl::Span<const absl::string_view> LoginVariables();
// See Backend::LooksLoggedIn.
std::optional<bool> LooksLoggedIn(const Environment& env);

// A session belongs to the folder in which it began.
const SessionKeeping& Sessions();

}  // namespace troika::claude

#endif  // TROIKA_AGENT_CLAUDE_CLI_FILES_H_
