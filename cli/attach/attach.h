// Attaches the user's terminal to a task: its live timeline, with a line at the
// bottom to type messages and answers.
#ifndef TROIKA_CLI_ATTACH_ATTACH_H_
#define TROIKA_CLI_ATTACH_ATTACH_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/discovery/environment.h"
#include "cli/io.h"
#include "cli/timeline/task_view.h"
#include "client/address.h"
#include "dto/troika.pb.h"

namespace troika::cli {

struct AttachOptions {
  client::ServerAddress address;
  Environment environment;
  ViewOptions view;
  absl::string_view help;  // Of `troika attach`; /help prints its keys.
};

// Returns the exit code: kExitOk after the user has detached. The server is
// started again if it is gone. CheckCanAttach() must be OK. Handles signals
// meanwhile.
int Attach(const v1::Task& task, const AttachOptions& options, const Io& io);

// Asks on the terminal for the first prompt of a task; nothing if the user
// leaves. `question` says what it is for.
absl::StatusOr<std::optional<std::string>> AskForPrompt(
    absl::string_view question, const AttachOptions& options, const Io& io);

}  // namespace troika::cli

#endif  // TROIKA_CLI_ATTACH_ATTACH_H_
