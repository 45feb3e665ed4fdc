// The commands that ask the server for something, each in a file of its name.
#ifndef TROIKA_CLI_COMMANDS_SERVER_COMMANDS_H_
#define TROIKA_CLI_COMMANDS_SERVER_COMMANDS_H_

#include "cli/commands/command.h"

namespace troika::cli {

extern const Command kDoctorCommand;
extern const Command kHarnessesCommand;
extern const Command kInterruptCommand;
extern const Command kRespondCommand;
extern const Command kResumeCommand;
extern const Command kRmCommand;
extern const Command kSendCommand;
extern const Command kServeCommand;
extern const Command kShowCommand;
extern const Command kStopCommand;
extern const Command kTasksCommand;
extern const Command kTokenCommand;
extern const Command kUsageCommand;

}  // namespace troika::cli

#endif  // TROIKA_CLI_COMMANDS_SERVER_COMMANDS_H_
