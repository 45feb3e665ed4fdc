// The commands of a program, found by name.
#ifndef TROIKA_CLI_COMMANDS_COMMAND_H_
#define TROIKA_CLI_COMMANDS_COMMAND_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "cli/io.h"

namespace troika::cli {

struct Command {
  absl::string_view name;
  absl::string_view summary;  // For the list of all, without an end.
  absl::string_view help;     // What `troika help NAME` prints.
  // `args` come after the command's name. Returns the exit code.
  int (*run)(absl::Span<const std::string> args, const Io& io);
};

// Runs the command that `args` begin with. `help`, and --help anywhere before
// `--`, are answered here.
int RunCommand(absl::Span<const Command* const> commands,
               absl::Span<const std::string> args, const Io& io);

// Says what is wrong with the command line and where to look; kExitUsage.
int UsageError(const Io& io, const Command& command, absl::string_view message);

}  // namespace troika::cli

#endif  // TROIKA_CLI_COMMANDS_COMMAND_H_
