// Reads what Gemini CLI keeps in .gemini under $GEMINI_CLI_HOME or $HOME: its
// login, and its sessions in tmp, which has a folder for each working folder,
// with its path in .project_root, or before 0.35 with the SHA-256 of its path
// as name.
#ifndef TROIKA_AGENT_GEMINI_HOME_H_
#define TROIKA_AGENT_GEMINI_HOME_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/discovery/environment.h"

namespace troika::gemini {

// As Backend::LooksLoggedIn.
std::optional<bool> LooksLoggedIn(const Environment& env);

// As Backend::LatestSession. Skips the sessions of subagents.
absl::StatusOr<std::string> LatestSession(absl::string_view cwd,
                                          const Environment& env);

std::string Sha256Hex(absl::string_view bytes);

}  // namespace troika::gemini

#endif  // TROIKA_AGENT_GEMINI_HOME_H_
