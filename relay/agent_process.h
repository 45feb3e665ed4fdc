// Starts the agent's process.
#ifndef TROIKA_RELAY_AGENT_PROCESS_H_
#define TROIKA_RELAY_AGENT_PROCESS_H_

#include <sys/types.h>

#include <string>

#include "relay/spec.h"

namespace troika::relay {

struct AgentFds {
  int in = -1;
  int out = -1;
  int err = -1;
};

struct AgentStart {
  pid_t pid = 0;     // 0 if the agent could not be started.
  std::string text;  // Reason if pid is 0.
};

// Starts the agent in a session and process group of its own, with default
// signals and none of our descriptors but `fds` as its stdio. Returns once the
// program runs or has failed to start.
AgentStart StartAgent(const RelaySpec& spec, const AgentFds& fds);

}  // namespace troika::relay

#endif  // TROIKA_RELAY_AGENT_PROCESS_H_
