// The command line of `codex exec`, of versions 0.34 to 0.166.
//
// Flags of exec stand before `resume`, whose own are fewer and came later; they
// hold for it all the same (tried from 0.63 to 0.166). Each image has its own
// --image, and another flag follows them, as --image takes all that is not one.
// The prompt is on stdin: that is what the `-` at the end says.
#ifndef TROIKA_AGENT_CODEX_ARGS_H_
#define TROIKA_AGENT_CODEX_ARGS_H_

#include "absl/status/statusor.h"
#include "agent/harness.h"
#include "agent/launch/builder.h"
#include "agent/launch/launch.h"

namespace troika::codex {

const LaunchRules& Rules();

// As Backend::capabilities and Backend::BuildLaunch, which asks the former.
Capabilities CapabilitiesOf(const Cli& cli);
absl::StatusOr<Launch> BuildExec(const LaunchRequest& request, const Cli& cli);

}  // namespace troika::codex

#endif  // TROIKA_AGENT_CODEX_ARGS_H_
