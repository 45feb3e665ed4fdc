#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "agent/registry.h"
#include "base/flags.h"
#include "base/status_macros.h"
#include "cli/attach/attach.h"
#include "cli/attach/console.h"
#include "cli/commands/help.h"
#include "cli/commands/settings.h"
#include "cli/commands/turn.h"
#include "config/config.h"
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
  flags->Add("policy", &request->policy_files);
  flags->Add("require-policy", &request->require_policy);
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

bool IsHarness(const std::string& word, const Config& config) {
  return BackendById(word).ok() || absl::StartsWith(word, "acp:") ||
         config.acp.contains(word);
}

// Fills in what the flags leave open. A model is one of the harness that the
// settings name.
void ApplySettings(const std::vector<Setting>& settings,
                   const std::string& harness, LaunchOptions* options,
                   std::string* edit_mode) {
  const bool native = !options->approval_policy.empty() ||
                      !options->sandbox.empty() || options->dangerously_bypass;
  if (edit_mode->empty() && !native) {
    *edit_mode = ValueOf(settings, "edit_mode");
  }
  const std::string usual = ValueOf(settings, "harness");
  if (!usual.empty() && usual != harness) return;
  if (options->model.empty()) options->model = ValueOf(settings, "model");
  if (options->effort.empty()) options->effort = ValueOf(settings, "effort");
}

template <typename T>
void FillIn(const std::optional<T>& from, std::optional<T>* to) {
  if (!to->has_value()) *to = from;
}

// Takes the limits that the flags leave open from the settings, which are read
// as the flags of the same names.
absl::Status ApplyLimits(const std::vector<Setting>& settings,
                         TurnOptions* turn) {
  TurnFlags defaults;
  Flags flags;
  defaults.AddTo(&flags);
  TurnOptions read;
  for (const Setting& setting : settings) {
    if (!setting.is_limit || setting.value.empty()) continue;
    const std::vector<std::string> arg = {
        absl::StrCat("--", absl::StrReplaceAll(setting.name, {{"_", "-"}}), "=",
                     setting.value)};
    const auto limits = [&]() -> absl::StatusOr<TurnOptions> {
      RETURN_IF_ERROR(flags.ParseAll(arg));
      return defaults.Read({});
    }();
    if (!limits.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("the setting ", setting.name, " of ", setting.source,
                       ": ", limits.status().message()));
    }
    read = *limits;
  }
  FillIn(read.timeouts.start, &turn->timeouts.start);
  FillIn(read.timeouts.idle, &turn->timeouts.idle);
  FillIn(read.timeouts.turn, &turn->timeouts.turn);
  FillIn(read.timeouts.task, &turn->timeouts.task);
  FillIn(read.timeouts.approval, &turn->timeouts.approval);
  FillIn(read.timeouts.tool, &turn->timeouts.tool);
  FillIn(read.budget.cost_microusd, &turn->budget.cost_microusd);
  FillIn(read.budget.tokens, &turn->budget.tokens);
  FillIn(read.budget.turns, &turn->budget.turns);
  FillIn(read.budget.time_ms, &turn->budget.time_ms);
  return absl::OkStatus();
}

// Reads the configuration, too.
absl::StatusOr<RunOptions> ReadRunCommandLine(Args args) {
  const Environment env = ProcessEnvironment();
  ASSIGN_OR_RETURN(const Config config, ReadConfig(env));
  return ReadRunOptions(args, config, env);
}

// Adds the harness that was perhaps meant to an error about one that there is
// not. Agents of the configuration are known to the server alone.
absl::Status WithSuggestion(const absl::Status& error,
                            const std::string& agent) {
  const std::vector<std::string> ids =
      absl::StrSplit(HarnessIds(), absl::ByAnyChar(", "), absl::SkipEmpty());
  const std::string nearest = agent.empty() ? "" : Nearest(agent, ids);
  if (nearest.empty()) return error;
  return absl::Status(
      error.code(),
      absl::StrCat(error.message(), "; did you mean \"", nearest, "\"?"));
}

absl::StatusOr<int> Run(const RunOptions& options, Server& server,
                        const Io& io) {
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
  const v1::CreateTaskRequest request = MakeCreateRequest(
      options.request, prompt.value_or(""), server.environment);
  const absl::StatusOr<v1::Task> made = server.api.CreateTask(request);
  if (!made.ok()) {
    return WithSuggestion(made.status(), options.request.agent);
  }
  const v1::Task& task = *made;
  if (attaches) return Attach(task, attach, io);
  return ShowTurn(server,
                  {.before = task,
                   .after = task,
                   .show = FollowOptions::Show::kAll,
                   .prompt = prompt.value_or("")},
                  options.turn, io);
}

}  // namespace

v1::CreateTaskRequest MakeCreateRequest(TaskRequest request, std::string prompt,
                                        const Environment& environment) {
  request.prompt = std::move(prompt);
  // The folder as `troika tasks --cwd` names it.
  request.cwd = AbsolutePath(request.cwd.empty() ? "." : request.cwd);
  MakePathsAbsolute(&request);
  v1::CreateTaskRequest made = ToCreateRequest(request, environment);
  made.set_idempotency_key(client::NewIdempotencyKey());
  return made;
}

absl::StatusOr<RunOptions> ReadRunOptions(Args args, const Config& config,
                                          const Environment& env) {
  RunOptions options;
  TaskRequest& request = options.request;
  Given given;
  Flags flags;
  AddFlags(&request, &given, &flags);
  ASSIGN_OR_RETURN(std::vector<std::string> words, flags.Parse(args));
  const std::vector<Setting> settings = SettingsFor(
      config, env, AbsolutePath(request.cwd.empty() ? "." : request.cwd));
  const std::string usual = ValueOf(settings, "harness");
  const bool names_harness = !words.empty() && IsHarness(words[0], config);
  if (!usual.empty() && !names_harness && words.size() < 2) {
    words.insert(words.begin(), usual);
  }
  if (words.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("a harness is needed: ", HarnessIds()));
  }
  ApplySettings(settings, words[0], &request.options, &given.edit_mode);
  // The server knows the agents of its configuration.
  const absl::StatusOr<const Backend*> backend = BackendById(words[0]);
  request.harness = backend.ok() ? (*backend)->harness : Harness::kAcp;
  if (request.harness == Harness::kAcp) request.agent = words[0];
  ASSIGN_OR_RETURN(request.options.edit_mode, ReadEditMode(given.edit_mode));
  ASSIGN_OR_RETURN(request.options.wire, ReadWire(given.wire));
  ASSIGN_OR_RETURN(request.labels, ReadLabels(given.labels));
  ASSIGN_OR_RETURN(options.turn, given.turn.Read(words));
  RETURN_IF_ERROR(ApplyLimits(settings, &options.turn));
  request.timeouts = options.turn.timeouts;
  request.budget = options.turn.budget;
  return options;
}

constinit const Command kRunCommand = {
    .name = "run",
    .summary = "give an agent a task and watch it",
    .help = kRunHelp,
    .run = RunOnServer<kRunCommand, ReadRunCommandLine, Run>};

}  // namespace troika::cli
