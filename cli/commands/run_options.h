// The command line of `troika run`.
#ifndef TROIKA_CLI_COMMANDS_RUN_OPTIONS_H_
#define TROIKA_CLI_COMMANDS_RUN_OPTIONS_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "cli/commands/turn_flags.h"
#include "task/request.h"

namespace troika::cli {

struct RunOptions {
  TaskRequest request;  // Its prompt is empty: `prompt` says where it is.
  PromptInput prompt;
  ViewOptions view;
  Then then = Then::kFollow;
};

// InvalidArgument and NotFound say what is wrong. Whether the request makes
// sense to its harness is not looked at here.
absl::StatusOr<RunOptions> ReadRunOptions(absl::Span<const std::string> args);

}  // namespace troika::cli

#endif  // TROIKA_CLI_COMMANDS_RUN_OPTIONS_H_
