// Shared by the commands that give an agent a turn: run, send and resume.
#ifndef TROIKA_CLI_COMMANDS_TURN_H_
#define TROIKA_CLI_COMMANDS_TURN_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agent/launch/launch.h"
#include "base/flags.h"
#include "cli/commands/commands.h"
#include "cli/commands/follow.h"
#include "cli/commands/prompt_input.h"
#include "cli/commands/server.h"
#include "cli/timeline/task_view.h"
#include "task/notes.h"
#include "task/request.h"

namespace troika::cli {

// Says what to do once the agent has its prompt.
enum class Then { kFollow, kDetach };

// --json, --color, --quiet, --detach and --no-stdin.
class TurnFlags {
 public:
  void AddTo(Flags* flags);
  // InvalidArgument if they exclude each other.
  absl::StatusOr<ViewOptions> Options() const;
  Then then() const { return detach_ ? Then::kDetach : Then::kFollow; }
  PromptInput::Stdin use_stdin() const {
    return no_stdin_ ? PromptInput::Stdin::kSkip : PromptInput::Stdin::kRead;
  }

 private:
  ViewFlags view_;
  bool quiet_ = false;
  bool detach_ = false;
  bool no_stdin_ = false;
};

// --timeout, --start-timeout, --idle-timeout and --task-timeout.
class TimeoutFlags {
 public:
  void AddTo(Flags* flags);
  notes::Timeouts timeouts() const;

 private:
  std::optional<absl::Duration> turn_, start_, idle_, task_;
};

// Returns nothing if `id` is empty. Dashes may stand for underscores.
absl::StatusOr<std::optional<EditMode>> ReadEditMode(const std::string& id);

// Each label is key=value.
absl::StatusOr<std::map<std::string, std::string>> ReadLabels(
    const std::vector<std::string>& labels);

// Takes the prompt from the words of a command line: the second, if there is
// one. InvalidArgument if there are more.
absl::StatusOr<std::optional<std::string>> ReadPromptArgument(
    const std::vector<std::string>& words);

// The command line of `troika run`.
struct RunOptions {
  TaskRequest request;  // Without the prompt, which ReadPrompt(prompt) reads.
  PromptInput prompt;
  ViewOptions view;
  Then then = Then::kFollow;
};

// InvalidArgument and NotFound say what is wrong. Does not check whether the
// harness supports the request.
absl::StatusOr<RunOptions> ReadRunOptions(Args args);

struct GivenTurn {
  v1::Task before;  // The task before the turn; equal to `after` if it is new.
  v1::Task after;   // The server's reply.
  FollowOptions::Show show = FollowOptions::Show::kNew;
};

// Follows the turn, or prints the task's id (with --json: the task). Returns
// the exit code.
int ShowTurn(Server& server, const GivenTurn& turn, Then then,
             const ViewOptions& view, const Io& io);

}  // namespace troika::cli

#endif  // TROIKA_CLI_COMMANDS_TURN_H_
