#ifndef TROIKA_CLI_COMMANDS_RUN_COMMAND_H_
#define TROIKA_CLI_COMMANDS_RUN_COMMAND_H_

#include "cli/commands/command.h"

namespace troika::cli {

extern const Command kRunCommand;

}  // namespace troika::cli

#endif  // TROIKA_CLI_COMMANDS_RUN_COMMAND_H_
