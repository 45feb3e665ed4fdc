// Reads Gemini CLI's own files in .gemini under $GEMINI_CLI_HOME or $HOME: its
// login, and its sessions in tmp. Each working folder has a folder there, whose
// .project_root contains the working folder's path; before 0.35, its name is
// the SHA-256 of that path instead.
#ifndef TROIKA_AGENT_GEMINI_CLI_FILES_H_
#define TROIKA_AGENT_GEMINI_CLI_FILES_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "agent/discovery/environment.h"
#include "agent/discovery/native_sessions.h"

namespace troika::gemini {

// See Backend::login_variables.
absl::Span<const absl::string_view> LoginVariables();
// See Backend::LooksLoggedIn.
std::optional<bool> LooksLoggedIn(const Environment& env);

// Names of the servers that the user's settings.json has.
std::vector<std::string> McpServers(const Environment& env);

// A session whose folder has only a hash tells its folder if projects.json
// lists it.
const SessionKeeping& Sessions();

}  // namespace troika::gemini

#endif  // TROIKA_AGENT_GEMINI_CLI_FILES_H_
