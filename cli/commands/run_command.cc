#include "cli/commands/run_command.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "cli/commands/give_turn.h"
#include "cli/commands/run_options.h"
#include "cli/commands/server.h"
#include "dto/request.h"

namespace troika::cli {
namespace {

constexpr absl::string_view kHelp =
    R"(usage: troika run HARNESS [PROMPT|-] [FLAG...]

Gives an agent a task and shows its work until its turn has ended. HARNESS is
codex, claude or gemini. If standard input is a pipe or a file, it follows the
prompt after a blank line; with - or without a prompt it is the prompt. After --
a prompt may begin with a dash. The task then takes more: `troika send TASK`.

The server runs the agent, and is started where none runs; the agent goes on
where this command is killed: `troika tail TASK -f` follows it. Ctrl-C
interrupts the agent, a second one stops it, a third one leaves it to its end.
On a terminal you are asked for what the agent wants to have allowed or
answered; else `troika respond` answers it.

What it may do
  --edit-mode MODE        research (the default: read only), auto_edit,
                          full_auto, dangerous
  --approval-policy NAME  the CLI's own setting instead: Codex's approval
                          policy, Claude's and Gemini's mode
  --sandbox NAME          the CLI's own setting instead
  --dangerously-bypass    no approvals and no sandbox
  --add-dir DIR           another folder it may work in; can be repeated

What it works with
  --no-stdin              don't read standard input: for loops (while read) and
                          parents that keep the pipe open
  --model NAME            which model
  --cwd DIR               where it works; the current folder by default
  --image FILE            shown with the prompt; can be repeated
  --effort NAME           how much it thinks: low, medium, high, …
  --verbosity NAME        how much it says: low, medium, high
  --web-search            let it search the web; or --no-web-search
  --plan-tool             let it keep a plan; or --no-plan-tool
  --output-schema FILE    a JSON schema that its answer follows
  --base-instructions FILE  instead of the CLI's own system prompt
  --config KEY=VALUE      a setting of the CLI; can be repeated
  --profile NAME          a profile of the CLI's configuration
  --local-provider NAME   a model on this machine: ollama, …, or default
  --skip-git-check        work outside of a Git repository, too
  --ephemeral             let the CLI keep no session
  --last-message-file FILE  where the CLI leaves its answer, too
Not every CLI has all of it; what one has not is refused before it starts.

The task
  --resume SESSION        go on with a session of the CLI, by its id; latest is
                          the last one of the folder
  --title TEXT            by default the prompt's first line
  --label KEY=VALUE       for programs that look for tasks; can be repeated
  --timeout TIME          for the turn (6h): 90s, 10m, 1h30m
  --start-timeout TIME    until the agent's first words (2m)
  --idle-timeout TIME     without a word of the agent (1h)
  --task-timeout TIME     of working time, for all turns of the task (24h)

What is printed
  --detach                only the task's id, at once
  --json                  events, a line of JSON each: dto/troika.proto
  --quiet                 only the agent's last answer
  --color WHEN            auto (on terminals, without NO_COLOR), always, never

Exit code: 0 the turn went well; 1 it failed or has no result, or the server
can't be reached; 2 the command line is wrong or the request was refused; 3 it
was cancelled before it began; 124 a deadline passed; 130 it was interrupted;
129 or 143 we were told to leave by SIGHUP or SIGTERM, and the agent goes on.

Examples:
  troika run codex "why does the login test fail?"
  troika run claude --edit-mode auto_edit --timeout 20m "fix the login test"
  git diff | troika run gemini --quiet "review this" >review.md
  troika run codex --resume latest "now the other test"
  id=$(troika run claude --detach "look for dead code")
)";

int Run(absl::Span<const std::string> args, const Io& io) {
  absl::StatusOr<RunOptions> options = ReadRunOptions(args);
  if (!options.ok()) {
    return UsageError(io, kRunCommand, options.status().message());
  }
  auto prompt = ReadPrompt(options->prompt, io);
  if (!prompt.ok()) return FailWith(io, prompt.status());
  options->request.prompt = std::move(*prompt).value_or("");
  const absl::StatusOr<std::unique_ptr<Server>> server = FindServer();
  if (!server.ok()) return FailWith(io, server.status());
  TaskRequest& asked = options->request;
  // The folder as `troika tasks --cwd` names it.
  asked.cwd = FromHere(asked.cwd.empty() ? "." : asked.cwd);
  MakePathsAbsolute(&asked);
  v1::CreateTaskRequest request =
      ToCreateRequest(asked, (*server)->environment);
  request.set_idempotency_key(NewIdempotencyKey());
  const absl::StatusOr<v1::Task> task = (*server)->api.CreateTask(request);
  if (!task.ok()) return FailWith(io, task.status());
  return ShowTurn(
      **server,
      {.before = *task, .after = *task, .show = FollowOptions::Show::kAll},
      options->then, options->view, io);
}

}  // namespace

constinit const Command kRunCommand = {
    .name = "run",
    .summary = "give an agent a task and watch it",
    .help = kHelp,
    .run = Run};

}  // namespace troika::cli
