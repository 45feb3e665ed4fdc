#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/flags.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "cli/commands/commands.h"
#include "cli/commands/help.h"
#include "cli/commands/sessions.h"

namespace troika::cli {
namespace {

struct ImportCommandLine {
  std::string session;
  std::string harness;
  bool json = false;
};

absl::StatusOr<ImportCommandLine> ReadImportCommandLine(Args args) {
  ImportCommandLine line;
  Flags flags;
  flags.Add("harness", &line.harness);
  flags.Add("json", &line.json);
  ASSIGN_OR_RETURN(const std::vector<std::string> words, flags.Parse(args));
  if (words.size() != 1 || words[0].empty()) {
    return absl::InvalidArgumentError(
        words.size() < 2 ? "a session is needed: `troika sessions` lists them"
                         : absl::StrCat("more than one session: ",
                                        absl::StrJoin(words, " ")));
  }
  line.session = json::ToValidUtf8(words[0]);
  return line;
}

absl::StatusOr<int> Import(const ImportCommandLine& line, Server& server,
                           const Io& io) {
  v1::ImportSessionRequest request;
  request.set_harness(line.harness);
  AddSessionVariables(server.environment, request.mutable_env());
  ASSIGN_OR_RETURN(const v1::Task task,
                   server.api.ImportSession(line.session, request));
  if (line.json) return PrintJson(io, task);
  const int code = Print(io, absl::StrCat(task.id(), "\n"));
  Note(io, absl::StrCat("`troika tail ", task.id(), "` shows it"));
  return code;
}

}  // namespace

constinit const Command kImportCommand = {
    .name = "import",
    .summary = "make a task of a CLI's session, to read",
    .help = kImportHelp,
    .run = RunOnServer<kImportCommand, ReadImportCommandLine, Import>};

}  // namespace troika::cli
