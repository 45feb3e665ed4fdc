// The guard: starts the agent, waits for it, and ends all processes that it
// started.
//
// Relay and guard are both subreapers, and the socket between them tells each
// if the other died. While the guard lives, it alone sends signals. It holds
// the log's lock too, so that a free lock means that no process is left.
#ifndef TROIKA_RELAY_GUARD_H_
#define TROIKA_RELAY_GUARD_H_

#include "base/fd.h"
#include "relay/agent_process.h"
#include "relay/spec.h"

namespace troika::relay {

// Runs the guard until it ends, in a process of its own. `relay` is its socket.
[[noreturn]] void RunGuard(const RelaySpec& spec, const AgentFds& agent,
                           UniqueFd relay);

}  // namespace troika::relay

#endif  // TROIKA_RELAY_GUARD_H_
