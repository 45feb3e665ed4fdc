#include "cli/commands/commands.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "base/flags.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "cli/attach/console.h"
#include "cli/timeline/terminal_text.h"
#include "client/address.h"
#include "client/autostart.h"
#include "dto/proto_json.h"
#include "dto/request.h"

namespace troika::cli {
namespace {

using Commands = absl::Span<const Command* const>;

// Columns of a title in a note.
constexpr size_t kTitleColumns = 60;

constexpr absl::string_view kHelpSummary = "describe a command";

// Names that people's fingers know from other programs.
constexpr std::pair<absl::string_view, absl::string_view> kAliases[] = {
    {"ps", "tasks"}, {"ls", "tasks"}, {"list", "tasks"}, {"logs", "tail"}};

const Command* /*nullable*/ Find(Commands commands, absl::string_view name) {
  for (const auto& [alias, command] : kAliases) {
    if (name == alias) name = command;
  }
  const auto found = std::find_if(
      commands.begin(), commands.end(),
      [&](const Command* command) { return command->name == name; });
  return found == commands.end() ? nullptr : *found;
}

std::string Overview(Commands commands) {
  std::string text =
      "troika runs Claude Code, Codex CLI and Gemini CLI in tasks that survive "
      "your terminal.\n\n"
      "usage: troika COMMAND [FLAG...]\n"
      "       troika\n\n"
      "Without a command, it shows all tasks on a terminal: see `troika help "
      "dashboard`.\n\n";
  for (const Command* command : commands) {
    absl::StrAppendFormat(&text, "  %-10s %s\n", command->name,
                          command->summary);
  }
  absl::StrAppendFormat(&text, "  %-10s %s\n", "help", kHelpSummary);
  absl::StrAppend(&text, "\nps and ls are tasks, logs is tail.\n");
  absl::StrAppend(&text, "\n`troika help COMMAND` describes a command.\n");
  return text;
}

int UnknownCommand(Commands commands, absl::string_view name, const Io& io) {
  std::vector<std::string> names = {"help"};
  for (const Command* command : commands) names.emplace_back(command->name);
  const std::string nearest = Nearest(name, names);
  Fail(io, absl::StrCat("unknown command \"", name, "\"",
                        nearest.empty()
                            ? ""
                            : absl::StrCat("; did you mean \"", nearest, "\"?"),
                        "\n`troika help` lists the commands"));
  return kExitUsage;
}

// Opens the dashboard if this is a terminal, and else says what can be done.
int RunAlone(Commands commands, const Io& io) {
  const Command* const dashboard = Find(commands, kDashboardCommand.name);
  if (dashboard != nullptr && isatty(io.in) != 0 && isatty(io.out) != 0) {
    const absl::Status can_show =
        CheckTerminal(ProcessEnvironment(), io,
                      "there is no dashboard here, but all commands work");
    if (can_show.ok()) return dashboard->run({}, io);
    Note(io, can_show.message());
  }
  WriteAll(io.err, Overview(commands)).IgnoreError();
  return kExitUsage;
}

bool IsHelp(absl::string_view arg) { return arg == "--help" || arg == "-h"; }

bool AsksForHelp(Args args) {
  const auto end = std::find(args.begin(), args.end(), "--");
  return std::any_of(args.begin(), end, IsHelp);
}

}  // namespace

absl::Span<const Command* const> AllCommands() {
  static constexpr const Command* kCommands[] = {
      &kRunCommand,       &kAttachCommand, &kDashboardCommand, &kTasksCommand,
      &kShowCommand,      &kTailCommand,   &kSendCommand,      &kQueueCommand,
      &kRespondCommand,   &kWhyCommand,    &kInterruptCommand, &kStopCommand,
      &kWaitCommand,      &kDiffCommand,   &kResumeCommand,    &kForkCommand,
      &kSessionsCommand,  &kImportCommand, &kRmCommand,        &kUsageCommand,
      &kHarnessesCommand, &kConfigCommand, &kHooksCommand,     &kDoctorCommand,
      &kServeCommand,     &kServerCommand, &kOpenCommand,      &kTokenCommand,
      &kMcpCommand,       &kPolicyCommand, &kLogCommand,       &kParseCommand,
      &kVersionCommand};
  return kCommands;
}

int RunCommand(Commands commands, Args args, const Io& io) {
  if (args.empty()) return RunAlone(commands, io);
  std::string name = args[0];
  const bool wants_help = name == "help" || IsHelp(name);
  if (wants_help && (args.size() == 1 || args[1] == "help")) {
    return Print(io, Overview(commands));
  }
  if (wants_help) name = args[1];
  if (name == "--version") name = "version";
  const Command* const command = Find(commands, name);
  if (command == nullptr) return UnknownCommand(commands, name, io);
  if (wants_help || (!command->reads_help && AsksForHelp(args.subspan(1)))) {
    return Print(io, command->help);
  }
  return command->run(args.subspan(1), io);
}

int UsageError(const Io& io, const Command& command,
               absl::string_view message) {
  Fail(io,
       absl::StrCat(message, "\n`troika help ", command.name, "` says more"));
  return kExitUsage;
}

absl::StatusOr<std::string> ReadTask(const std::vector<std::string>& words) {
  if (words.size() == 1 && !words[0].empty()) return words[0];
  return absl::InvalidArgumentError(
      words.size() < 2
          ? "a task is needed: its id, or latest"
          : absl::StrCat("more than one task: ", absl::StrJoin(words, " ")));
}

absl::StatusOr<std::unique_ptr<Server>> FindServer() {
  Environment environment = ProcessEnvironment();
  ASSIGN_OR_RETURN(client::ServerAddress address,
                   client::FindServerAddress(environment));
  auto start =
      client::Starter(address, environment,
                      [](absl::string_view notice) { Note(Io(), notice); });
  return std::unique_ptr<Server>(new Server{
      .environment = std::move(environment),
      .api =
          client::ApiClient(std::move(address), {.start = std::move(start)})});
}

std::string ServerVersion(const Server& server) {
  client::ApiClient api(server.api.address(), {.timeout = absl::Seconds(3)});
  const absl::StatusOr<std::string> health = api.Get("/healthz", "*/*");
  if (!health.ok()) return "";
  json::Parser parser;
  const absl::StatusOr<json::Value> said = parser.Parse(*health);
  const std::string version =
      said.ok() ? SanitizedLine(said->Get("version").StringOr("")) : "";
  return version.empty() ? "running" : version;
}

absl::StatusOr<v1::ListHarnessesResponse> ProbeHarnesses(Server& server) {
  auto list = server.api.ProbeHarnesses(ToProbeRequest(server.environment));
  if (!absl::IsNotFound(list.status())) return list;
  return absl::UnavailableError(absl::StrCat(
      "the server at ", server.api.address().Name(),
      " is older than this troika and can't use your environment: restart it"));
}

absl::Status FindLatest(client::ApiClient& api, const Io& io,
                        std::string* task) {
  if (*task != "latest") return absl::OkStatus();
  v1::ListTasksRequest request;
  request.set_cwd(AbsolutePath("."));
  request.set_page_size(1);
  ASSIGN_OR_RETURN(v1::ListTasksResponse found, api.ListTasks(request));
  const bool here = found.tasks_size() > 0;
  if (!here) {
    request.clear_cwd();
    ASSIGN_OR_RETURN(found, api.ListTasks(request));
  }
  // The server says that there is no task.
  if (found.tasks().empty()) return absl::OkStatus();
  const v1::Task& latest = found.tasks(0);
  *task = latest.id();
  Note(io, absl::StrCat(
               "task ", latest.id(), ": ",
               SanitizedLine(latest.title(), kTitleColumns),
               here ? ""
                    : absl::StrCat(" (in ", SanitizedLine(latest.cwd()), ")")));
  return absl::OkStatus();
}

int FailWith(const Io& io, const absl::Status& error) {
  // The message may come from an agent's CLI.
  Fail(io, Sanitized(error.message()));
  const bool refused =
      absl::IsInvalidArgument(error) || absl::IsNotFound(error) ||
      absl::IsFailedPrecondition(error) || absl::IsUnimplemented(error);
  return refused ? kExitUsage : kExitFailure;
}

std::string JsonLine(const google::protobuf::Message& message) {
  return absl::StrCat(ToJson(message), "\n");
}

int PrintJson(const Io& io, const google::protobuf::Message& message) {
  return Print(io, JsonLine(message));
}

std::string AbsolutePath(const std::string& path) {
  if (path.empty()) return path;
  std::error_code error;
  const std::filesystem::path whole =
      std::filesystem::absolute(path, error).lexically_normal();
  std::string text = error ? path : whole.string();
  if (text.size() > 1 && text.back() == '/') text.pop_back();
  return text;
}

}  // namespace troika::cli
