// Recognizes and explains the errors of sandboxes that can't be set up.
#ifndef TROIKA_AGENT_SANDBOX_ERROR_H_
#define TROIKA_AGENT_SANDBOX_ERROR_H_

#include <string>

#include "absl/strings/string_view.h"

namespace troika {

// Matches the messages of bubblewrap and of Codex's sandbox, ignoring case, in
// RE2 syntax.
inline constexpr char kSandboxErrorPattern[] =
    R"(\bbwrap: (no permissions|creating new namespace|failed|can'?t|cannot)"
    R"(|could|unable|unexpected|setting up|loopback|pivot_root|mount|unshare)"
    R"(|clone|prctl|error)[^\n]*)"
    R"(|error (running landlock|applying (legacy )?linux sandbox restrictions)"
    R"(|building bubblewrap command)[^\n]*)"
    R"(|sandbox\((landlock|seccomp)[^\n]*)";

inline constexpr absl::string_view kSandboxRemedy =
    "run the task where the CLI's sandbox works: on a kernel with user "
    "namespaces and Landlock, not in a chroot, and in a container only with "
    "privileges that allow them; or use the edit mode dangerous if this "
    "machine "
    "is a sandbox itself";

// Returns the first match of kSandboxErrorPattern in `text`, or "".
std::string FindSandboxError(absl::string_view text);

// "Codex CLI can't set up its sandbox here, so …: ERROR; REMEDY"
std::string SandboxTrouble(absl::string_view cli_name, absl::string_view error);

}  // namespace troika

#endif  // TROIKA_AGENT_SANDBOX_ERROR_H_
