// Shared by the commands that deal with the CLIs' own sessions.
#ifndef TROIKA_CLI_COMMANDS_SESSIONS_H_
#define TROIKA_CLI_COMMANDS_SESSIONS_H_

#include "agent/discovery/environment.h"
#include "dto/troika.pb.h"

namespace troika::cli {

// Adds the variables that say where CLIs keep their sessions.
void AddSessionVariables(const Environment& environment,
                         v1::ListSessionsRequest* request);

}  // namespace troika::cli

#endif  // TROIKA_CLI_COMMANDS_SESSIONS_H_
