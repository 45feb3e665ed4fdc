#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/flags.h"
#include "base/status_macros.h"
#include "cli/commands/server.h"
#include "cli/commands/server_commands.h"
#include "cli/timeline/table.h"

namespace troika::cli {
namespace {

constexpr absl::string_view kHelp = R"(usage: troika harnesses [--json]

Lists the harnesses as `troika run` finds them, with your environment (PATH,
HOME, TROIKA_CODEX_BIN, …): the version of the CLI, whether it is logged in as
far as can be seen, and what to do before it can be used.

  --json  a line of JSON each: HarnessInfo of dto/troika.proto

Exit code: 0; 1 where the server can't be reached; 2 where the command line is
wrong.

Example:
  troika harnesses
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

absl::string_view LoginText(const v1::HarnessInfo& harness) {
  if (harness.path().empty()) return "";
  if (!harness.has_logged_in()) return "not known";
  return harness.logged_in() ? "yes" : "no";
}

absl::StatusOr<int> List(const Line& line, Server& server, const Io& io) {
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

int Run(absl::Span<const std::string> args, const Io& io) {
  return RunOnServer(kHarnessesCommand, args, io, ReadLine, List);
}

}  // namespace

constinit const Command kHarnessesCommand = {
    .name = "harnesses",
    .summary = "list the agents' CLIs and what they need",
    .help = kHelp,
    .run = Run};

}  // namespace troika::cli
