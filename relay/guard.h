// The guard: starts the agent, waits for it, and ends whatever it started.
//
// Relay and guard are both subreapers, and a socket between them tells either
// that the other died. While the guard lives, it alone sends signals; it holds
// the log's lock too, so that a free lock means that nothing is left.
#ifndef TROIKA_RELAY_GUARD_H_
#define TROIKA_RELAY_GUARD_H_

#include "base/fd.h"
#include "relay/agent_process.h"
#include "relay/spec.h"

namespace troika::relay {

// The guard's whole life, in a process of its own. `relay` is its socket.
[[noreturn]] void RunGuard(const RelaySpec& spec, const AgentFds& agent,
                           UniqueFd relay);

}  // namespace troika::relay

#endif  // TROIKA_RELAY_GUARD_H_
