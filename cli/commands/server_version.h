#ifndef TROIKA_CLI_COMMANDS_SERVER_VERSION_H_
#define TROIKA_CLI_COMMANDS_SERVER_VERSION_H_

#include <string>

#include "cli/commands/server.h"

namespace troika::cli {

// The version of the server that runs, which is not started for it: "running"
// where it does not say, and empty where none runs.
std::string ServerVersion(const Server& server);

}  // namespace troika::cli

#endif  // TROIKA_CLI_COMMANDS_SERVER_VERSION_H_
