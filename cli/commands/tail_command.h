#ifndef TROIKA_CLI_COMMANDS_TAIL_COMMAND_H_
#define TROIKA_CLI_COMMANDS_TAIL_COMMAND_H_

#include "cli/commands/command.h"

namespace troika::cli {

extern const Command kTailCommand;

}  // namespace troika::cli

#endif  // TROIKA_CLI_COMMANDS_TAIL_COMMAND_H_
