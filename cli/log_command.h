#ifndef TROIKA_CLI_LOG_COMMAND_H_
#define TROIKA_CLI_LOG_COMMAND_H_

#include "cli/command.h"

namespace troika::cli {

extern const Command kLogCommand;

}  // namespace troika::cli

#endif  // TROIKA_CLI_LOG_COMMAND_H_
