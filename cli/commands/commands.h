// The commands of `troika`; related ones share a file.
#ifndef TROIKA_CLI_COMMANDS_COMMANDS_H_
#define TROIKA_CLI_COMMANDS_COMMANDS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "cli/io.h"

namespace troika::cli {

using Args = absl::Span<const std::string>;

struct Command {
  absl::string_view name;
  absl::string_view summary;  // For the list of commands, without a full stop.
  absl::string_view help;     // Printed by `troika help NAME`.
  // `args` come after the command's name. Returns the exit code.
  int (*run)(Args args, const Io& io);
};

extern const Command kDoctorCommand;
extern const Command kHarnessesCommand;
extern const Command kInterruptCommand;
extern const Command kLogCommand;
extern const Command kParseCommand;
extern const Command kRespondCommand;
extern const Command kResumeCommand;
extern const Command kRmCommand;
extern const Command kRunCommand;
extern const Command kSendCommand;
extern const Command kServeCommand;
extern const Command kShowCommand;
extern const Command kStopCommand;
extern const Command kTailCommand;
extern const Command kTasksCommand;
extern const Command kTokenCommand;
extern const Command kUsageCommand;
extern const Command kVersionCommand;

// All commands, in the order in which help lists them.
absl::Span<const Command* const> AllCommands();

// Runs the command that `args` begin with. Handles `help`, and --help anywhere
// before `--`, itself.
int RunCommand(absl::Span<const Command* const> commands, Args args,
               const Io& io);

// Prints what is wrong with the command line and where help is; returns
// kExitUsage.
int UsageError(const Io& io, const Command& command, absl::string_view message);

// Returns the task that the arguments name, which must be one.
absl::StatusOr<std::string> ReadTask(const std::vector<std::string>& words);

}  // namespace troika::cli

#endif  // TROIKA_CLI_COMMANDS_COMMANDS_H_
