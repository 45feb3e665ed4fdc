// Builds the command lines of Codex CLI.
#ifndef TROIKA_AGENT_CODEX_LAUNCH_H_
#define TROIKA_AGENT_CODEX_LAUNCH_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/launch/builder.h"
#include "agent/launch/launch.h"

namespace troika::codex {

inline constexpr absl::string_view kNoSandbox = "danger-full-access";

// Builds the command line of `codex exec` or `codex app-server`, whichever the
// options need.
absl::StatusOr<Launch> BuildLaunch(const LaunchRequest& request,
                                   const Cli& cli);
absl::StatusOr<Launch> BuildAppServerLaunch(const LaunchRequest& request,
                                            const Cli& cli);

// The following functions are what both command lines share.

// Adds the settings that options have configuration keys for.
void AddSettings(const LaunchOptions& options, LaunchBuilder& b);
// Options that say what the agent may do, besides the edit mode.
std::vector<absl::string_view> NativePermissions(const LaunchOptions& options);
// Tells the user if this machine has no sandbox and the options rely on one.
void AddSandboxNotice(const LaunchOptions& options, const Cli& cli,
                      LaunchBuilder& b);

}  // namespace troika::codex

#endif  // TROIKA_AGENT_CODEX_LAUNCH_H_
