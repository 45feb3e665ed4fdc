// Shared by the commands that give an agent a turn: run, send and resume.
#ifndef TROIKA_CLI_COMMANDS_TURN_H_
#define TROIKA_CLI_COMMANDS_TURN_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agent/discovery/environment.h"
#include "agent/launch/launch.h"
#include "base/flags.h"
#include "cli/commands/commands.h"
#include "cli/commands/follow.h"
#include "cli/io.h"
#include "cli/timeline/task_view.h"
#include "config/config.h"
#include "task/budget_flags.h"
#include "task/notes.h"
#include "task/request.h"

namespace troika::cli {

// Where the prompt comes from: the command line, standard input, or both.
struct PromptInput {
  enum class Stdin { kRead, kSkip };
  enum class Need {
    kPrompt,    // The command needs a prompt.
    kNoPrompt,  // The prompt may be missing.
  };
  std::optional<std::string> argument;  // "-" stands for standard input alone.
  Stdin use_stdin = Stdin::kRead;       // kSkip: --no-stdin.
  Need need = Need::kPrompt;
  // After this time without input, io.err says what we wait for.
  absl::Duration patience = absl::Seconds(2);
};

// Returns the argument, a blank line and standard input, as far as they are
// there; nothing if there is no prompt and none is needed. If there is an
// argument, standard input is read only from a pipe, a socket or a regular
// file. Bytes that are not UTF-8 become U+FFFD, and io.err says so.
//
// InvalidArgument if a prompt is needed and missing, if standard input has a
// NUL, or if the prompt is too long.
absl::StatusOr<std::optional<std::string>> ReadPrompt(const PromptInput& input,
                                                      const Io& io);

// Says what to do once the agent has its prompt.
enum class Then { kFollow, kDetach };

// What the command lines of run, send and resume have in common.
struct TurnOptions {
  PromptInput prompt;
  notes::Timeouts timeouts;
  notes::Budget budget;
  ViewOptions view;
  Then then = Then::kFollow;
};

// --json, --color, --full, --quiet, --detach, --no-stdin, --timeout,
// --start-timeout, --idle-timeout, --task-timeout, --approval-timeout,
// --tool-timeout and the flags of a budget.
class TurnFlags {
 public:
  void AddTo(Flags* flags);
  // The second word of `words`, if there is one, is the prompt. InvalidArgument
  // if there are more words, or if flags exclude each other.
  absl::StatusOr<TurnOptions> Read(const std::vector<std::string>& words) const;

 private:
  ViewFlags view_;
  notes::Timeouts timeouts_;
  BudgetFlags budget_;
  bool quiet_ = false;
  bool detach_ = false;
  bool no_stdin_ = false;
};

// Returns nothing if `id` is empty. Dashes may stand for underscores.
absl::StatusOr<std::optional<EditMode>> ReadEditMode(const std::string& id);

// Each label is key=value.
absl::StatusOr<std::map<std::string, std::string>> ReadLabels(
    const std::vector<std::string>& labels);

// The command line of `troika run`.
struct RunOptions {
  TaskRequest request;  // Without the prompt, which ReadPrompt() reads.
  TurnOptions turn;
};

// InvalidArgument and NotFound say what is wrong. Does not check whether the
// harness supports the request. What flags leave open is taken from the
// environment and the configuration (settings.h).
absl::StatusOr<RunOptions> ReadRunOptions(Args args, const Config& config = {},
                                          const Environment& env = {});

// Returns the request for the task. The agent gets the environment's variables,
// and works in the current folder unless the options name another.
v1::CreateTaskRequest MakeCreateRequest(TaskRequest request, std::string prompt,
                                        const Environment& environment);

struct GivenTurn {
  v1::Task before;  // The task before the turn; equal to `after` if it is new.
  v1::Task after;   // The server's reply.
  FollowOptions::Show show = FollowOptions::Show::kNew;
  std::string prompt = {};  // What the user has said.
};

// Follows the turn, or prints the task's id (with --json: the task). Returns
// the exit code.
int ShowTurn(Server& server, const GivenTurn& turn, const TurnOptions& options,
             const Io& io);

}  // namespace troika::cli

#endif  // TROIKA_CLI_COMMANDS_TURN_H_
