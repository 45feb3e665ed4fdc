// Gemini CLI's own record of its sessions, under .gemini/tmp in
// $GEMINI_CLI_HOME or $HOME: a folder for each working folder, with its path in
// .project_root, or before 0.35 with the SHA-256 of its path as name.
#ifndef TROIKA_AGENT_GEMINI_SESSIONS_H_
#define TROIKA_AGENT_GEMINI_SESSIONS_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/discovery/environment.h"

namespace troika::gemini {

// As Backend::LatestSession. Those of subagents are passed over.
absl::StatusOr<std::string> LatestSession(absl::string_view cwd,
                                          const Environment& env);

}  // namespace troika::gemini

#endif  // TROIKA_AGENT_GEMINI_SESSIONS_H_
