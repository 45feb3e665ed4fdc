// The command line of `gemini -o stream-json`, of versions 0.11.3 to 0.61.
//
// The prompt is on stdin alone, which takes 2 MiB and a leading dash as they
// are. Images are what stands in -p, as `@path`: the CLI puts it after what
// comes on stdin, reads the files and sends them as data.
#ifndef TROIKA_AGENT_GEMINI_ARGS_H_
#define TROIKA_AGENT_GEMINI_ARGS_H_

#include "absl/status/statusor.h"
#include "agent/harness.h"
#include "agent/launch/builder.h"
#include "agent/launch/launch.h"

namespace troika::gemini {

const LaunchRules& Rules();

// As Backend::capabilities and Backend::BuildLaunch, which asks the former.
Capabilities CapabilitiesOf(const Cli& cli);
absl::StatusOr<Launch> BuildHeadless(const LaunchRequest& request,
                                     const Cli& cli);

}  // namespace troika::gemini

#endif  // TROIKA_AGENT_GEMINI_ARGS_H_
