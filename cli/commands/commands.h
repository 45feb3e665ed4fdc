// The table of all commands.
#ifndef TROIKA_CLI_COMMANDS_COMMANDS_H_
#define TROIKA_CLI_COMMANDS_COMMANDS_H_

#include "absl/types/span.h"
#include "cli/commands/command.h"

namespace troika::cli {

// In the order in which they are listed.
absl::Span<const Command* const> AllCommands();

}  // namespace troika::cli

#endif  // TROIKA_CLI_COMMANDS_COMMANDS_H_
