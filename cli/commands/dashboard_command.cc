// `troika dashboard`, and `troika` alone.
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "agent/registry.h"
#include "base/flags.h"
#include "base/status_macros.h"
#include "cli/attach/console.h"
#include "cli/commands/commands.h"
#include "cli/commands/help.h"
#include "cli/commands/settings.h"
#include "cli/commands/turn.h"
#include "cli/dashboard/dashboard.h"
#include "config/config.h"

namespace troika::cli {
namespace {

struct DashboardCommandLine {
  ViewOptions view;
};

absl::StatusOr<DashboardCommandLine> ReadDashboardCommandLine(Args args) {
  std::string color = "auto";
  Flags flags;
  flags.Add("color", &color);
  ASSIGN_OR_RETURN(const std::vector<std::string> words, flags.Parse(args));
  if (!words.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("unexpected argument \"", words[0], "\""));
  }
  DashboardCommandLine line;
  ASSIGN_OR_RETURN(line.view.color, ReadColor(color));
  return line;
}

FormChoices ChoicesFor(const Config& config) {
  FormChoices choices;
  choices.edit_modes = {
      {.id = "research", .note = "reads only"},
      {.id = "ask", .note = "may do anything, and asks first"},
      {.id = "auto_edit", .note = "edits files in its folder"},
      {.id = "full_auto", .note = "runs commands, too, in a sandbox if it can"},
      {.id = "dangerous", .note = "no limits and no sandbox"},
      {.id = "native", .note = "what the CLI's own configuration says"}};
  for (const absl::string_view id :
       absl::StrSplit(HarnessIds(), absl::ByAnyChar(", "), absl::SkipEmpty())) {
    choices.harnesses.push_back({.id = std::string(id)});
  }
  for (const auto& [name, agent] : config.acp) {
    choices.harnesses.push_back({.id = name});
  }
  return choices;
}

// Replaces ~ by the user's folder.
std::string Expanded(const std::string& folder, const Environment& env) {
  if (folder != "~" && !absl::StartsWith(folder, "~/")) return folder;
  return absl::StrCat(env.Get("HOME"), folder.substr(1));
}

// As `troika run -i` would.
absl::StatusOr<v1::CreateTaskRequest> MakeRequest(const NewTask& task,
                                                  const Config& config,
                                                  const Environment& env) {
  std::vector<std::string> args = {"--interactive"};
  if (!task.edit_mode.empty()) {
    args.insert(args.end(), {"--edit-mode", task.edit_mode});
  }
  if (!task.cwd.empty()) {
    args.insert(args.end(), {"--cwd", Expanded(task.cwd, env)});
  }
  if (!task.harness.empty()) args.insert(args.end(), {"--", task.harness});
  ASSIGN_OR_RETURN(RunOptions options, ReadRunOptions(args, config, env));
  return MakeCreateRequest(std::move(options.request), task.prompt, env);
}

absl::StatusOr<int> Show(const DashboardCommandLine& line, Server& server,
                         const Io& io) {
  RETURN_IF_ERROR(CheckTerminal(server.environment, io,
                                "list the tasks with troika tasks -f"));
  const Environment& env = server.environment;
  ASSIGN_OR_RETURN(const Config config, ReadConfig(env));
  // Starts the server, and says here if there can't be one.
  v1::ListTasksRequest one;
  one.set_page_size(1);
  RETURN_IF_ERROR(server.api.ListTasks(one).status());
  const std::string cwd = AbsolutePath(".");
  const std::vector<Setting> settings = SettingsFor(config, env, cwd);
  const std::string mode = ValueOf(settings, "edit_mode");
  return RunDashboard(
      {.address = server.api.address(),
       .environment = env,
       .view = line.view,
       .help = kDashboardHelp,
       .attach_help = kAttachHelp,
       .defaults = {.prompt = "",
                    .harness = ValueOf(settings, "harness"),
                    .cwd = cwd,
                    .edit_mode = mode.empty() ? "research" : mode},
       .choices = ChoicesFor(config),
       .make_request =
           [&](const NewTask& task) { return MakeRequest(task, config, env); }},
      io);
}

}  // namespace

constinit const Command kDashboardCommand = {
    .name = "dashboard",
    .summary = "show all tasks on the whole terminal, and answer their agents",
    .help = kDashboardHelp,
    .run = RunOnServer<kDashboardCommand, ReadDashboardCommandLine, Show>};

}  // namespace troika::cli
