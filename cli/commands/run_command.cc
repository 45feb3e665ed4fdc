#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "agent/registry.h"
#include "base/flags.h"
#include "base/status_macros.h"
#include "cli/attach/attach.h"
#include "cli/attach/console.h"
#include "cli/commands/help.h"
#include "cli/commands/turn.h"
#include "dto/request.h"

namespace troika::cli {
namespace {

// Values of flags that the request holds in another form.
struct Given {
  std::string edit_mode;
  std::string wire;
  std::vector<std::string> labels;
  TurnFlags turn;
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
  flags->Add("interactive", &options->interactive);
  flags->AddShort('i', "interactive");
}

void AddFlags(TaskRequest* request, Given* given, Flags* flags) {
  AddLaunchFlags(&request->options, flags);
  flags->Add("edit-mode", &given->edit_mode);
  flags->Add("wire", &given->wire);
  flags->Add("cwd", &request->cwd);
  flags->Add("title", &request->title);
  flags->Add("label", &given->labels);
  flags->Add("resume", &request->resume_session);
  flags->Add("fork", &request->fork_session);
  flags->Add("no-queue", &request->no_queue);
  flags->Add("document", &request->document.wanted);
  given->turn.AddTo(flags);
}

absl::StatusOr<std::optional<Wire>> ReadWire(const std::string& id) {
  if (id.empty()) return std::optional<Wire>();
  const auto wire = FromName<Wire>(absl::StrReplaceAll(id, {{"-", "_"}}));
  // No process talks as session files are written.
  if (wire && *wire != Wire::kSessionFile) return wire;
  const auto& names = kEnumNames<Wire>;
  return absl::InvalidArgumentError(
      absl::StrCat("--wire ", id, " is not one of ",
                   absl::StrJoin(names.begin(), names.end() - 1, ", ")));
}

// Whether the terminal is attached to the task.
bool Attaches(const RunOptions& options, const Server& server, const Io& io) {
  return options.request.options.interactive &&
         options.turn.then == Then::kFollow &&
         options.turn.view.output == ViewOptions::Output::kText &&
         CheckCanAttach(server.environment, io).ok();
}

absl::StatusOr<int> Run(const RunOptions& options, Server& server,
                        const Io& io) {
  TaskRequest wanted = options.request;
  const bool attaches = Attaches(options, server, io);
  const AttachOptions attach = {.address = server.api.address(),
                                .environment = server.environment,
                                .view = options.turn.view,
                                .help = kAttachHelp};
  std::optional<std::string> prompt;
  if (attaches && !options.turn.prompt.argument) {
    ASSIGN_OR_RETURN(prompt, AskForPrompt("What is the agent to do? Enter "
                                          "begins the task, Ctrl-C leaves.",
                                          attach, io));
    if (!prompt) return kExitInterrupted;
  } else {
    ASSIGN_OR_RETURN(prompt, ReadPrompt(options.turn.prompt, io));
  }
  wanted.prompt = std::move(prompt).value_or("");
  // The folder as `troika tasks --cwd` names it.
  wanted.cwd = AbsolutePath(wanted.cwd.empty() ? "." : wanted.cwd);
  MakePathsAbsolute(&wanted);
  v1::CreateTaskRequest request = ToCreateRequest(wanted, server.environment);
  request.set_idempotency_key(client::NewIdempotencyKey());
  ASSIGN_OR_RETURN(const v1::Task task, server.api.CreateTask(request));
  if (attaches) return Attach(task, attach, io);
  return ShowTurn(
      server,
      {.before = task, .after = task, .show = FollowOptions::Show::kAll},
      options.turn, io);
}

}  // namespace

absl::StatusOr<RunOptions> ReadRunOptions(Args args) {
  RunOptions options;
  TaskRequest& request = options.request;
  Given given;
  Flags flags;
  AddFlags(&request, &given, &flags);
  ASSIGN_OR_RETURN(const std::vector<std::string> words, flags.Parse(args));
  if (words.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("a harness is needed: ", HarnessIds()));
  }
  // The server knows the agents of its configuration.
  const absl::StatusOr<const Backend*> backend = BackendById(words[0]);
  request.harness = backend.ok() ? (*backend)->harness : Harness::kAcp;
  if (request.harness == Harness::kAcp) request.agent = words[0];
  ASSIGN_OR_RETURN(request.options.edit_mode, ReadEditMode(given.edit_mode));
  ASSIGN_OR_RETURN(request.options.wire, ReadWire(given.wire));
  ASSIGN_OR_RETURN(request.labels, ReadLabels(given.labels));
  ASSIGN_OR_RETURN(options.turn, given.turn.Read(words));
  request.timeouts = options.turn.timeouts;
  return options;
}

constinit const Command kRunCommand = {
    .name = "run",
    .summary = "give an agent a task and watch it",
    .help = kRunHelp,
    .run = RunOnServer<kRunCommand, ReadRunOptions, Run>};

}  // namespace troika::cli
