#include "cli/commands/commands.h"

#include "cli/commands/log_command.h"
#include "cli/commands/parse_command.h"
#include "cli/commands/run_command.h"
#include "cli/commands/server_commands.h"
#include "cli/commands/tail_command.h"
#include "cli/commands/version_command.h"

namespace troika::cli {

absl::Span<const Command* const> AllCommands() {
  static constexpr const Command* kCommands[] = {
      &kRunCommand,    &kTasksCommand,   &kShowCommand,      &kTailCommand,
      &kSendCommand,   &kRespondCommand, &kInterruptCommand, &kStopCommand,
      &kResumeCommand, &kRmCommand,      &kUsageCommand,     &kHarnessesCommand,
      &kDoctorCommand, &kServeCommand,   &kTokenCommand,     &kLogCommand,
      &kParseCommand,  &kVersionCommand};
  return kCommands;
}

}  // namespace troika::cli
