#include "cli/commands.h"

#include "cli/log_command.h"
#include "cli/parse_command.h"
#include "cli/run_command.h"
#include "cli/server_commands.h"
#include "cli/tail_command.h"
#include "cli/version_command.h"

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
