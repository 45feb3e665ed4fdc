// `troika doctor` and `troika harnesses`.
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/flags.h"
#include "base/json_writer.h"
#include "base/status_macros.h"
#include "cli/commands/commands.h"
#include "cli/commands/doctor_checks.h"
#include "cli/commands/help.h"
#include "cli/timeline/table.h"
#include "cli/timeline/terminal_text.h"

namespace troika::cli {
namespace {

struct DoctorCommandLine {
  bool json = false;
};

absl::StatusOr<DoctorCommandLine> ReadDoctorCommandLine(Args args) {
  DoctorCommandLine line;
  Flags flags;
  flags.Add("json", &line.json);
  RETURN_IF_ERROR(flags.ParseAll(args));
  return line;
}

absl::string_view LevelId(Check::Level level) {
  switch (level) {
    case Check::Level::kOk:
      return "ok";
    case Check::Level::kWarning:
      return "warning";
    case Check::Level::kBad:
      return "bad";
  }
  return "";
}

std::string LineOf(const Check& check, const DoctorCommandLine& line) {
  if (line.json) {
    return json::ObjectWriter()
               .String("level", LevelId(check.level))
               .String("name", check.name)
               .String("text", check.text)
               .Take() +
           "\n";
  }
  return absl::StrFormat("%-8s %-10s %s\n", LevelId(check.level),
                         SanitizedLine(check.name), SanitizedLine(check.text));
}

std::vector<Check> CheckServer(Server& server) {
  // This request starts the server if none runs, or says why it can't.
  const absl::StatusOr<v1::ListHarnessesResponse> list = ProbeHarnesses(server);
  if (!list.ok()) {
    return {{.level = Check::Level::kBad,
             .name = "server",
             .text = std::string(list.status().message())}};
  }
  const std::string version = ServerVersion(server);
  std::vector<Check> checks = {
      {.name = "server",
       .text = absl::StrCat(version == "running" ? "" : version + " ", "at ",
                            server.api.address().Name())}};
  const std::vector<Check> harnesses = CheckHarnesses(*list);
  checks.insert(checks.end(), harnesses.begin(), harnesses.end());
  if (const auto hooks = server.api.ListHooks(); hooks.ok()) {
    const std::vector<Check> of_hooks = CheckHooks(*hooks);
    checks.insert(checks.end(), of_hooks.begin(), of_hooks.end());
  }
  return checks;
}

absl::StatusOr<int> Examine(const DoctorCommandLine& line, Server& server,
                            const Io& io) {
  bool bad = false;
  const auto tell = [&](const std::vector<Check>& checks) {
    std::string text;
    for (const Check& check : checks) {
      text += LineOf(check, line);
      bad = bad || check.level == Check::Level::kBad;
    }
    return Print(io, text);
  };
  const client::ServerAddress& address = server.api.address();
  if (address.is_local()) {
    tell(CheckPrograms(server.environment));
    tell(CheckHome(address.home));
    tell(CheckLogout("", server.environment));
  }
  const int code = tell(CheckServer(server));
  return bad ? kExitFailure : code;
}

absl::string_view LoginText(const v1::HarnessInfo& harness) {
  if (harness.path().empty()) return "";
  if (!harness.has_logged_in()) return "not known";
  return harness.logged_in() ? "yes" : "no";
}

absl::StatusOr<int> List(const DoctorCommandLine& line, Server& server,
                         const Io& io) {
  ASSIGN_OR_RETURN(const v1::ListHarnessesResponse list,
                   ProbeHarnesses(server));
  std::string text;
  Table table({"ID", "VERSION", "LOGGED IN", "PATH", "TO DO"});
  for (const v1::HarnessInfo& harness : list.harnesses()) {
    if (line.json) absl::StrAppend(&text, JsonLine(harness));
    table.Add({harness.id(), harness.version(), std::string(LoginText(harness)),
               harness.path().empty() ? "not found" : harness.path(),
               harness.hint()});
  }
  return Print(io, line.json ? text : table.Text(0));
}

}  // namespace

constinit const Command kDoctorCommand = {
    .name = "doctor",
    .summary = "check what agents need to run",
    .help = kDoctorHelp,
    .run = RunOnServer<kDoctorCommand, ReadDoctorCommandLine, Examine>};

constinit const Command kHarnessesCommand = {
    .name = "harnesses",
    .summary = "list the agents' CLIs",
    .help = kHarnessesHelp,
    .run = RunOnServer<kHarnessesCommand, ReadDoctorCommandLine, List>};

}  // namespace troika::cli
