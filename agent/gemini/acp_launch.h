// Chooses the wire of a Gemini CLI process, and what is asked for on the wire
// acp.
#ifndef TROIKA_AGENT_GEMINI_ACP_LAUNCH_H_
#define TROIKA_AGENT_GEMINI_ACP_LAUNCH_H_

#include <string>

#include "agent/launch/launch.h"
#include "agent/launch/wire.h"

namespace troika::gemini {

// Whether a version's sessions have modes and can be loaded.
enum class AcpSessions { kOnlyNew, kLoadable };

// stream_json can't ask, and takes one prompt only.
Wire ChooseWire(const LaunchOptions& options);

// Returns Launch::setup_json. The mode is the one that `launch` has on its
// command line, in the words of the wire.
std::string AcpSetupJson(const LaunchRequest& request, const Launch& launch,
                         AcpSessions sessions);

}  // namespace troika::gemini

#endif  // TROIKA_AGENT_GEMINI_ACP_LAUNCH_H_
