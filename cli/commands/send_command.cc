// `troika send` and `troika resume`.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/flags.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "cli/commands/turn.h"
#include "dto/request.h"

namespace troika::cli {
namespace {

constexpr absl::string_view kSendHelp =
    R"(usage: troika send TASK [PROMPT|-] [FLAG...]

Gives a task another prompt in the same conversation, and shows the work on it.
An agent that waits for input takes it at once; one that has ended is started
again; one that works takes it into its turn if it can, else after the turn.
TASK is its id, the beginning of an id that no other task has, or latest. If
standard input is a pipe or a file, it is added to the prompt after a blank
line; if PROMPT is - or missing, it is the prompt.

  --no-stdin            don't read standard input
  --image FILE          an image for the prompt; can be repeated
  --timeout TIME        limit for the turn; this and the next three hold for
                        this turn and later ones, see `troika help run`
  --start-timeout TIME  limit until the agent's first output
  --idle-timeout TIME   limit without output of the agent
  --task-timeout TIME   limit of working time for all turns of the task
  --detach              print the task's id; don't wait for the agent
  --json                print events as lines of JSON; with --detach the task
  --quiet               print only the agent's last answer
  --color WHEN          auto (on terminals, unless NO_COLOR is set), always or
                        never

Exit code: 0 if the turn succeeded, else as of `troika run`.

Examples:
  troika send latest "now the other test"
  troika send latest --image shot.png "it still looks like this"
)";

constexpr absl::string_view kResumeHelp =
    R"(usage: troika resume TASK [PROMPT|-] [FLAG...]

Starts an agent again to continue the conversation of a task that has ended, and
shows its work; without a prompt the agent is told to continue. TASK is its id,
the beginning of an id that no other task has, or latest. If standard input is a
pipe or a file, it is added to the prompt after a blank line; if PROMPT is - or
missing, it is the prompt.

  --model NAME      another model
  --edit-mode MODE  another mode: research, auto_edit, full_auto or dangerous
The other flags are those of `troika send`: --no-stdin, --image, --timeout,
--start-timeout, --idle-timeout, --task-timeout, --detach, --json, --quiet,
--color.

Exit code: 0 if the turn succeeded, else as of `troika run`.

Examples:
  troika resume latest
  troika resume latest --edit-mode auto_edit "now do it"
  troika resume latest --task-timeout 48h
)";

template <typename Request>
struct Line {
  std::string task;
  Request request;
  PromptInput prompt;
  ViewOptions view;
  Then then = Then::kFollow;
};

// Reads what both commands have, besides the flags that `flags` has already.
template <typename Request>
absl::StatusOr<Line<Request>> ReadLine(Args args, Flags flags) {
  Line<Request> line;
  std::vector<std::string> images;
  TimeoutFlags timeouts;
  TurnFlags turn;
  flags.Add("image", &images);
  timeouts.AddTo(&flags);
  turn.AddTo(&flags);
  ASSIGN_OR_RETURN(const std::vector<std::string> words, flags.Parse(args));
  ASSIGN_OR_RETURN(line.prompt.argument, ReadPromptArgument(words));
  ASSIGN_OR_RETURN(line.task,
                   ReadTask({words.begin(), words.begin() + !words.empty()}));
  line.prompt.use_stdin = turn.use_stdin();
  for (const std::string& image : images) {
    line.request.add_images(json::ToValidUtf8(AbsolutePath(image)));
  }
  *line.request.mutable_timeouts() = ToTimeouts(timeouts.timeouts());
  ASSIGN_OR_RETURN(line.view, turn.Options());
  line.then = turn.then();
  return line;
}

absl::StatusOr<Line<v1::InputRequest>> ReadSend(Args args) {
  return ReadLine<v1::InputRequest>(args, Flags());
}

absl::StatusOr<Line<v1::ResumeRequest>> ReadResume(Args args) {
  std::string model, edit_mode;
  Flags flags;
  flags.Add("model", &model);
  flags.Add("edit-mode", &edit_mode);
  ASSIGN_OR_RETURN(Line<v1::ResumeRequest> line,
                   ReadLine<v1::ResumeRequest>(args, std::move(flags)));
  line.prompt.need = PromptInput::Need::kNoPrompt;
  if (!model.empty()) line.request.set_model(json::ToValidUtf8(model));
  ASSIGN_OR_RETURN(const std::optional<EditMode> mode, ReadEditMode(edit_mode));
  if (mode) line.request.set_edit_mode(ToEditMode(*mode));
  return line;
}

template <typename Request, typename Method>
absl::StatusOr<int> GiveTurn(const Line<Request>& line, Request request,
                             Method method, Server& server, const Io& io) {
  request.set_idempotency_key(NewIdempotencyKey());
  GivenTurn turn;
  ASSIGN_OR_RETURN(turn.before, server.api.GetTask(line.task));
  ASSIGN_OR_RETURN(turn.after, (server.api.*method)(turn.before.id(), request));
  return ShowTurn(server, turn, line.then, line.view, io);
}

absl::StatusOr<int> Send(const Line<v1::InputRequest>& line, Server& server,
                         const Io& io) {
  v1::InputRequest request = line.request;
  ASSIGN_OR_RETURN(const std::optional<std::string> prompt,
                   ReadPrompt(line.prompt, io));
  request.set_text(json::ToValidUtf8(prompt.value_or("")));
  return GiveTurn(line, request, &client::ApiClient::SendInput, server, io);
}

absl::StatusOr<int> Resume(const Line<v1::ResumeRequest>& line, Server& server,
                           const Io& io) {
  v1::ResumeRequest request = line.request;
  ASSIGN_OR_RETURN(const std::optional<std::string> prompt,
                   ReadPrompt(line.prompt, io));
  if (prompt) request.set_prompt(json::ToValidUtf8(*prompt));
  return GiveTurn(line, request, &client::ApiClient::Resume, server, io);
}

}  // namespace

constinit const Command kSendCommand = {
    .name = "send",
    .summary = "give a task another prompt",
    .help = kSendHelp,
    .run = RunOnServer<kSendCommand, ReadSend, Send>};

constinit const Command kResumeCommand = {
    .name = "resume",
    .summary = "continue a task that has ended",
    .help = kResumeHelp,
    .run = RunOnServer<kResumeCommand, ReadResume, Resume>};

}  // namespace troika::cli
