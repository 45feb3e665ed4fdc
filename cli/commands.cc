#include "cli/commands.h"

#include "cli/log_command.h"
#include "cli/parse_command.h"
#include "cli/run_command.h"
#include "cli/tail_command.h"
#include "cli/version_command.h"

namespace troika::cli {

absl::Span<const Command* const> AllCommands() {
  static constexpr const Command* kCommands[] = {&kRunCommand, &kTailCommand,
                                                 &kLogCommand, &kParseCommand,
                                                 &kVersionCommand};
  return kCommands;
}

}  // namespace troika::cli
