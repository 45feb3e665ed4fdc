// Flags that commands have in common which give an agent something to do.
#ifndef TROIKA_CLI_COMMANDS_TURN_FLAGS_H_
#define TROIKA_CLI_COMMANDS_TURN_FLAGS_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agent/launch/launch.h"
#include "base/flags.h"
#include "cli/commands/prompt_input.h"
#include "cli/timeline/task_view.h"
#include "task/notes.h"

namespace troika::cli {

// What to do once the agent has its prompt.
enum class Then { kFollow, kDetach };

// --json, --color, --quiet, --detach and --no-stdin.
class TurnFlags {
 public:
  void AddTo(Flags* flags);
  // InvalidArgument where they exclude each other.
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

// Nothing where `id` is empty; dashes are as good as underscores.
absl::StatusOr<std::optional<EditMode>> ReadEditMode(const std::string& id);

// Each is key=value.
absl::StatusOr<std::map<std::string, std::string>> ReadLabels(
    const std::vector<std::string>& labels);

// What is no flag in the command lines of turns: a task, and perhaps a prompt.
struct TaskAndPrompt {
  std::string task;
  std::optional<std::string> prompt;
};
absl::StatusOr<TaskAndPrompt> ReadTaskAndPrompt(std::vector<std::string> words);

}  // namespace troika::cli

#endif  // TROIKA_CLI_COMMANDS_TURN_FLAGS_H_
