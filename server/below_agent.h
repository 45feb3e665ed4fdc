// Keeps agents from starting servers that others would depend on.
#ifndef TROIKA_SERVER_BELOW_AGENT_H_
#define TROIKA_SERVER_BELOW_AGENT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "agent/discovery/environment.h"
#include "base/ancestry.h"

namespace troika {

// A relay ends all processes below it with its agent, whatever session or
// parent they have chosen. PermissionDenied if we are below one and the state
// folder `home` is shared with others: it is the folder of that relay's task
// (or that can't be seen), or the default folder of the user. Servers of other
// folders may run below an agent, such as those of tests that an agent runs.
absl::Status CheckNotBelowAgent(const std::string& home,
                                const Environment& environment,
                                const std::vector<ProcessInfo>& ancestors);

}  // namespace troika

#endif  // TROIKA_SERVER_BELOW_AGENT_H_
