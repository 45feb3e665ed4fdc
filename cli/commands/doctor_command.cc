#include <algorithm>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/flags.h"
#include "base/json_writer.h"
#include "base/status_macros.h"
#include "cli/commands/doctor_checks.h"
#include "cli/commands/server.h"
#include "cli/commands/server_commands.h"
#include "cli/commands/server_version.h"
#include "cli/timeline/terminal_text.h"

namespace troika::cli {
namespace {

constexpr absl::string_view kHelp = R"(usage: troika doctor [--json]

Checks whether everything is there to run agents, and says what to do if not:
troika's own programs, the state folder, the server, the agents' CLIs and their
logins, and whether agents outlive a logout. CLIs and logins are looked for with
your environment, as `troika run` does. Starts the server if none runs.

  --json  a line of JSON for each thing: level (ok, warning, bad), name, text

Exit code: 0, also with warnings; 1 where something is bad, such as that no
agent can be used; 2 where the command line is wrong.

Example:
  troika doctor
)";

struct Line {
  bool json = false;
};

absl::StatusOr<Line> ReadLine(absl::Span<const std::string> args) {
  Line line;
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

std::string LineOf(const Check& check, const Line& line) {
  if (line.json) {
    return json::ObjectWriter()
               .String("level", LevelId(check.level))
               .String("name", check.name)
               .String("text", check.text)
               .Take() +
           "\n";
  }
  return absl::StrFormat("%-8s %-10s %s\n", LevelId(check.level),
                         HarmlessLine(check.name), HarmlessLine(check.text));
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
  return checks;
}

absl::StatusOr<int> Examine(const Line& line, Server& server, const Io& io) {
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

int Run(absl::Span<const std::string> args, const Io& io) {
  return RunOnServer(kDoctorCommand, args, io, ReadLine, Examine);
}

}  // namespace

constinit const Command kDoctorCommand = {
    .name = "doctor",
    .summary = "look whether all is there to run agents",
    .help = kHelp,
    .run = Run};

}  // namespace troika::cli
