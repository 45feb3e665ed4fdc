// Reads Codex's files in $CODEX_HOME or ~/.codex: its login, and its sessions,
// which are rollout files sorted by date; archived ones are in a folder of
// their own.
#ifndef TROIKA_AGENT_CODEX_SESSIONS_H_
#define TROIKA_AGENT_CODEX_SESSIONS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "agent/discovery/environment.h"
#include "agent/discovery/native_sessions.h"

namespace troika::codex {

// See Backend::login_variables.
absl::Span<const absl::string_view> LoginVariables();
std::optional<bool> LooksLoggedIn(const Environment& env);

// Names of the tables mcp_servers.NAME of config.toml, in their order.
std::vector<std::string> McpServers(const Environment& env);

// A session belongs to the folder of its last turn.
const SessionKeeping& Sessions();

}  // namespace troika::codex

#endif  // TROIKA_AGENT_CODEX_SESSIONS_H_
