// Reads Gemini CLI's own files in .gemini under $GEMINI_CLI_HOME or $HOME: its
// login, and its sessions in tmp. Each working folder has a folder there, whose
// .project_root contains the working folder's path; before 0.35, its name is
// the SHA-256 of that path instead.
#ifndef TROIKA_AGENT_GEMINI_CLI_FILES_H_
#define TROIKA_AGENT_GEMINI_CLI_FILES_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/discovery/environment.h"

namespace troika::gemini {

// See Backend::LooksLoggedIn.
std::optional<bool> LooksLoggedIn(const Environment& env);

// See Backend::LatestSession. Skips the sessions of subagents.
absl::StatusOr<std::string> LatestSession(absl::string_view cwd,
                                          const Environment& env);

}  // namespace troika::gemini

#endif  // TROIKA_AGENT_GEMINI_CLI_FILES_H_
