// The command line of `claude -p`, of versions 0.2.118 to 2.1.325.
//
// One process for the whole conversation, which takes prompts as lines on
// stdin. Versions without --input-format take one prompt, as plain text.
//
// Neither of the modes "default" and "plan" keeps Claude Code from writing:
// what its settings allow runs in both. What is disallowed on the command line
// does not, in its subagents either; so research is a list of tools.
#ifndef TROIKA_AGENT_CLAUDE_ARGS_H_
#define TROIKA_AGENT_CLAUDE_ARGS_H_

#include "absl/status/statusor.h"
#include "agent/harness.h"
#include "agent/launch/builder.h"
#include "agent/launch/launch.h"

namespace troika::claude {

const LaunchRules& Rules();

// As Backend::capabilities and Backend::BuildLaunch, which asks the former.
Capabilities CapabilitiesOf(const Cli& cli);
absl::StatusOr<Launch> BuildPrint(const LaunchRequest& request, const Cli& cli);

}  // namespace troika::claude

#endif  // TROIKA_AGENT_CLAUDE_ARGS_H_
