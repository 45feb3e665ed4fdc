// Codex's own record of its sessions: rollout files by date, under $CODEX_HOME
// or ~/.codex.
#ifndef TROIKA_AGENT_CODEX_SESSIONS_H_
#define TROIKA_AGENT_CODEX_SESSIONS_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/discovery/environment.h"

namespace troika::codex {

// As Backend::LatestSession. A session belongs to the folder of its last turn.
// Those of subagents are passed over.
absl::StatusOr<std::string> LatestSession(absl::string_view cwd,
                                          const Environment& env);

}  // namespace troika::codex

#endif  // TROIKA_AGENT_CODEX_SESSIONS_H_
