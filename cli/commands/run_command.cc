#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "agent/registry.h"
#include "base/flags.h"
#include "base/status_macros.h"
#include "cli/commands/turn.h"
#include "dto/request.h"

namespace troika::cli {
namespace {

constexpr absl::string_view kHelp =
    R"(usage: troika run HARNESS [PROMPT|-] [FLAG...]

Gives an agent a task and shows its work until the turn ends. HARNESS is codex,
claude or gemini. If standard input is a pipe or a file, it is added to the
prompt after a blank line; if PROMPT is - or missing, it is the prompt. A prompt
after -- may begin with a dash. `troika send TASK` continues the conversation.

The server runs the agent; this command starts the server if none runs. If this
command is killed, the agent continues, and `troika tail TASK -f` follows it.
Ctrl-C interrupts the agent, a second one stops it, a third one leaves at once.
On a terminal this command asks you for approvals and answers that the agent
wants; elsewhere give them with `troika respond`.

What the agent may do
  --edit-mode MODE        research (default: read only), auto_edit, full_auto or
                          dangerous
  --approval-policy NAME  the CLI's own setting instead: Codex's approval
                          policy, or the mode of Claude and Gemini
  --sandbox NAME          the CLI's own sandbox setting instead
  --dangerously-bypass    no approvals and no sandbox
  --add-dir DIR           another folder to work in; can be repeated

What the agent works with
  --no-stdin              don't read standard input, such as in a loop (while
                          read) or if another program keeps the pipe open
  --model NAME            the model
  --cwd DIR               the folder to work in (default: the current one)
  --image FILE            an image for the prompt; can be repeated
  --effort NAME           how much it thinks: low, medium, high, …
  --verbosity NAME        how much it writes: low, medium, high
  --web-search            allow searching the web; or --no-web-search
  --plan-tool             allow keeping a plan; or --no-plan-tool
  --output-schema FILE    the JSON schema of its answer
  --base-instructions FILE  a system prompt instead of the CLI's own
  --config KEY=VALUE      a setting of the CLI; can be repeated
  --profile NAME          a profile of the CLI's configuration
  --local-provider NAME   a model on this machine: ollama, …, or default
  --skip-git-check        work outside of a Git repository, too
  --ephemeral             don't let the CLI keep the session
  --last-message-file FILE  a file that the CLI writes its answer to, too
An option that the CLI does not have is refused before the agent starts.

The task
  --resume SESSION        continue a session of the CLI, given by its id, or
                          latest for the last one of the folder
  --title TEXT            the title (default: the first line of the prompt)
  --label KEY=VALUE       a label to find the task by; can be repeated
  --timeout TIME          limit for the turn (default 6h): 90s, 10m, 1h30m
  --start-timeout TIME    limit until the agent's first output (default 2m)
  --idle-timeout TIME     limit without output of the agent (default 1h)
  --task-timeout TIME     limit of working time for all turns (default 24h)

What is printed
  --detach                the task's id; don't wait for the agent
  --json                  events as lines of JSON: Event of dto/troika.proto
  --quiet                 only the agent's last answer
  --color WHEN            auto (on terminals, unless NO_COLOR is set), always or
                          never

Exit code: 0 if the turn succeeded; 1 if it failed or has no result, or the
server can't be reached; 2 if the command line is wrong or the request was
refused; 3 if the turn was cancelled before it began; 124 if a deadline passed;
130 if the turn was interrupted; 129 or 143 if SIGHUP or SIGTERM ended this
command, while the agent continues.

Examples:
  troika run codex "why does the login test fail?"
  troika run claude --edit-mode auto_edit --timeout 20m "fix the login test"
  git diff | troika run gemini --quiet "review this" >review.md
  troika run codex --resume latest "now the other test"
  id=$(troika run claude --detach "look for dead code")
)";

// Values of flags that the request holds in another form.
struct Given {
  std::string edit_mode;
  std::vector<std::string> labels;
  TimeoutFlags timeouts;
  TurnFlags turn_flags;
};

void AddLaunchFlags(LaunchOptions* options, Flags* flags) {
  flags->Add("model", &options->model);
  flags->Add("approval-policy", &options->approval_policy);
  flags->Add("sandbox", &options->sandbox);
  flags->Add("dangerously-bypass", &options->dangerously_bypass);
  flags->Add("image", &options->images);
  flags->Add("config", &options->config);
  flags->Add("profile", &options->profile);
  flags->Add("output-schema", &options->output_schema);
  flags->Add("skip-git-check", &options->skip_git_check);
  flags->Add("add-dir", &options->extra_dirs);
  flags->Add("effort", &options->effort);
  flags->Add("verbosity", &options->verbosity);
  flags->Add("web-search", &options->web_search);
  flags->Add("ephemeral", &options->ephemeral);
  flags->Add("base-instructions", &options->base_instructions);
  flags->Add("plan-tool", &options->plan_tool);
  flags->Add("local-provider", &options->local_provider);
  flags->Add("last-message-file", &options->last_message_file);
}

void AddFlags(TaskRequest* request, Given* given, Flags* flags) {
  AddLaunchFlags(&request->options, flags);
  flags->Add("edit-mode", &given->edit_mode);
  flags->Add("cwd", &request->cwd);
  flags->Add("title", &request->title);
  flags->Add("label", &given->labels);
  flags->Add("resume", &request->resume_session);
  given->timeouts.AddTo(flags);
  given->turn_flags.AddTo(flags);
}

absl::Status ReadWords(const std::vector<std::string>& words,
                       RunOptions* options) {
  if (words.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("a harness is needed: ", HarnessIds()));
  }
  ASSIGN_OR_RETURN(const Backend* const backend, BackendById(words[0]));
  options->request.harness = backend->harness;
  ASSIGN_OR_RETURN(options->prompt.argument, ReadPromptArgument(words));
  return absl::OkStatus();
}

absl::StatusOr<int> Run(const RunOptions& options, Server& server,
                        const Io& io) {
  TaskRequest wanted = options.request;
  ASSIGN_OR_RETURN(std::optional<std::string> prompt,
                   ReadPrompt(options.prompt, io));
  wanted.prompt = std::move(prompt).value_or("");
  // The folder as `troika tasks --cwd` names it.
  wanted.cwd = AbsolutePath(wanted.cwd.empty() ? "." : wanted.cwd);
  MakePathsAbsolute(&wanted);
  v1::CreateTaskRequest request = ToCreateRequest(wanted, server.environment);
  request.set_idempotency_key(NewIdempotencyKey());
  ASSIGN_OR_RETURN(const v1::Task task, server.api.CreateTask(request));
  return ShowTurn(
      server,
      {.before = task, .after = task, .show = FollowOptions::Show::kAll},
      options.then, options.view, io);
}

}  // namespace

absl::StatusOr<RunOptions> ReadRunOptions(Args args) {
  RunOptions options;
  TaskRequest& request = options.request;
  Given given;
  Flags flags;
  AddFlags(&request, &given, &flags);
  ASSIGN_OR_RETURN(const std::vector<std::string> words, flags.Parse(args));
  RETURN_IF_ERROR(ReadWords(words, &options));
  ASSIGN_OR_RETURN(request.options.edit_mode, ReadEditMode(given.edit_mode));
  ASSIGN_OR_RETURN(request.labels, ReadLabels(given.labels));
  request.timeouts = given.timeouts.timeouts();
  ASSIGN_OR_RETURN(options.view, given.turn_flags.Options());
  options.then = given.turn_flags.then();
  options.prompt.use_stdin = given.turn_flags.use_stdin();
  return options;
}

constinit const Command kRunCommand = {
    .name = "run",
    .summary = "give an agent a task and watch it",
    .help = kHelp,
    .run = RunOnServer<kRunCommand, ReadRunOptions, Run>};

}  // namespace troika::cli
