#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "cli/commands/server.h"
#include "cli/commands/server_commands.h"

namespace troika::cli {
namespace {

constexpr absl::string_view kHelp = R"HELP(usage: troika token

Prints the token that the page and the API on TCP want to see. It is secret: who
has it can run commands as you. The server makes it when it first starts, and is
started where there is none yet.

Exit code: 0; 1 where there is no token; 2 where the command line is wrong.

Example:
  curl -H "Authorization: Bearer $(troika token)" \
    http://127.0.0.1:4747/api/v1/tasks
)HELP";

constexpr size_t kMaxToken = 4096;

struct Line {};

absl::StatusOr<Line> ReadLine(absl::Span<const std::string> args) {
  if (args.empty()) return Line();
  return absl::InvalidArgumentError("token takes no arguments");
}

absl::StatusOr<int> PrintToken(const Line&, Server& server, const Io& io) {
  const client::ServerAddress& address = server.api.address();
  if (!address.is_local()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the token of ", address.url,
        " is on that machine: run `troika token` there, and set TROIKA_TOKEN"));
  }
  const std::string path = absl::StrCat(address.home, "/token");
  absl::StatusOr<std::string> token = ReadFile(path, kMaxToken);
  if (absl::IsNotFound(token.status())) {
    RETURN_IF_ERROR(server.api.GetHealth().status());
    token = ReadFile(path, kMaxToken);
  }
  if (!token.ok()) return Fail(io, token.status().message());
  return Print(io, absl::StrCat(absl::StripAsciiWhitespace(*token), "\n"));
}

int Run(absl::Span<const std::string> args, const Io& io) {
  return RunOnServer(kTokenCommand, args, io, ReadLine, PrintToken);
}

}  // namespace

constinit const Command kTokenCommand = {
    .name = "token",
    .summary = "print the token for the page",
    .help = kHelp,
    .run = Run};

}  // namespace troika::cli
