#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/flags.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "cli/commands/give_turn.h"
#include "cli/commands/server.h"
#include "cli/commands/server_commands.h"
#include "cli/commands/turn_flags.h"
#include "dto/request.h"

namespace troika::cli {
namespace {

constexpr absl::string_view kHelp =
    R"(usage: troika resume TASK [PROMPT|-] [FLAG...]

Starts a new agent on the conversation of a task that has ended, and shows its
work; without a prompt it is told to go on. TASK is its id, a beginning of the
id that no other task has, or latest. If standard input is a pipe or a file, it
follows the prompt after a blank line; with - or without a prompt it is the
prompt.

  --no-stdin            don't read standard input
  --model NAME          another model than before
  --edit-mode MODE      research, auto_edit, full_auto or dangerous instead
  --image FILE          shown with the prompt; can be repeated
  --timeout TIME        for the turn, as of `troika run`; this one and the next
                        three hold for this turn and later ones
  --start-timeout TIME  until the agent's first words
  --idle-timeout TIME   without a word of the agent
  --task-timeout TIME   of working time, for all turns of the task
  --detach              print the task's id and return at once
  --json                events, a line of JSON each; with --detach the task
  --quiet               only the agent's last answer
  --color WHEN          auto (on terminals, without NO_COLOR), always, never

Exit code: 0 where the turn went well, else as of `troika run`.

Examples:
  troika resume latest
  troika resume latest --edit-mode auto_edit "now do it"
  troika resume latest --task-timeout 48h
)";

struct Line {
  std::string task;
  v1::ResumeRequest request;
  PromptInput prompt;
  ViewOptions view;
  Then then = Then::kFollow;
};

absl::StatusOr<Line> ReadLine(absl::Span<const std::string> args) {
  Line line;
  std::string model, edit_mode;
  std::vector<std::string> images;
  TimeoutFlags timeouts;
  TurnFlags turn;
  Flags flags;
  flags.Add("model", &model);
  flags.Add("edit-mode", &edit_mode);
  flags.Add("image", &images);
  timeouts.AddTo(&flags);
  turn.AddTo(&flags);
  ASSIGN_OR_RETURN(std::vector<std::string> words, flags.Parse(args));
  ASSIGN_OR_RETURN(TaskAndPrompt given, ReadTaskAndPrompt(std::move(words)));
  line.task = std::move(given.task);
  line.prompt = {.argument = std::move(given.prompt),
                 .use_stdin = turn.use_stdin(),
                 .need = PromptInput::Need::kNoPrompt};
  if (!model.empty()) line.request.set_model(json::ToValidUtf8(model));
  ASSIGN_OR_RETURN(const std::optional<EditMode> mode, ReadEditMode(edit_mode));
  if (mode) line.request.set_edit_mode(ToEditMode(*mode));
  for (const std::string& image : images) {
    line.request.add_images(json::ToValidUtf8(FromHere(image)));
  }
  *line.request.mutable_timeouts() = ToTimeouts(timeouts.timeouts());
  ASSIGN_OR_RETURN(line.view, turn.Options());
  line.then = turn.then();
  return line;
}

absl::StatusOr<int> Resume(const Line& line, Server& server, const Io& io) {
  v1::ResumeRequest request = line.request;
  ASSIGN_OR_RETURN(const std::optional<std::string> prompt,
                   ReadPrompt(line.prompt, io));
  if (prompt) request.set_prompt(json::ToValidUtf8(*prompt));
  request.set_idempotency_key(NewIdempotencyKey());
  GivenTurn turn;
  ASSIGN_OR_RETURN(turn.before, server.api.GetTask(line.task));
  ASSIGN_OR_RETURN(turn.after, server.api.Resume(turn.before.id(), request));
  return ShowTurn(server, turn, line.then, line.view, io);
}

int Run(absl::Span<const std::string> args, const Io& io) {
  return RunOnServer(kResumeCommand, args, io, ReadLine, Resume);
}

}  // namespace

constinit const Command kResumeCommand = {
    .name = "resume",
    .summary = "go on with a task that has ended",
    .help = kHelp,
    .run = Run};

}  // namespace troika::cli
