// Reads Codex's files in $CODEX_HOME or ~/.codex: its login, and its sessions,
// which are rollout files sorted by date.
#ifndef TROIKA_AGENT_CODEX_SESSIONS_H_
#define TROIKA_AGENT_CODEX_SESSIONS_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/discovery/environment.h"

namespace troika::codex {

std::optional<bool> LooksLoggedIn(const Environment& env);

// Skips the sessions of subagents. A session belongs to the folder of its last
// turn.
absl::StatusOr<std::string> LatestSession(absl::string_view cwd,
                                          const Environment& env);

}  // namespace troika::codex

#endif  // TROIKA_AGENT_CODEX_SESSIONS_H_
