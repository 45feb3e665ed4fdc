// `troika serve`, `troika token` and `troika version`.
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/version.h"
#include "cli/commands/commands.h"
#include "cli/commands/server.h"
#include "client/autostart.h"

namespace troika::cli {
namespace {

constexpr absl::string_view kServeHelp = R"(usage: troika serve [FLAG...]

Runs the server in the foreground until SIGTERM, SIGHUP or Ctrl-C; a second
signal ends it at once. The agents continue, and the next server takes them
over. Commands start a server by themselves if none runs; such a server ends
when it has been idle for a while. This command is for a server that stays, such
as a service (tools/troika.service), and for the page. It replaces a server that
a command has started. If it is killed, the next command starts a server with
the same flags.

  --listen HOST:PORT  where to listen on TCP (default 127.0.0.1:4747); port 0
                      takes any free one, none listens on the socket in the
                      state folder alone
  --allow-remote      let HOST be reachable from other machines; anybody who has
                      the token can then do all that you may
  --host NAME         another name that clients call this server by; can be
                      repeated
  --demo              offer a scripted agent, too, which needs no CLI
  --max-running N     at most this many tasks run at once (default 10); others
                      are queued
  --max-running-per HARNESS=N  the same for one harness; can be repeated
  --max-queued N      at most this many tasks are queued (default 10000)
  --keep-for TIME     remove tasks that ended longer ago: 720h (default: never)
  --keep-bytes SIZE   remove the oldest ended tasks while all their files are
                      larger: 20G, 500M (default: never)

The page and the API on TCP need the token that `troika token` prints.

Exit code: 0 after a signal; 1 if it can't serve, such as because another
`troika serve` does or an agent runs this command; 2 if the command line is
wrong.

Examples:
  troika serve
  troika serve --listen 127.0.0.1:8080 --max-running 4
)";

constexpr absl::string_view kTokenHelp = R"HELP(usage: troika token

Prints the token that the page and the API on TCP need. It is secret: anybody
who has it can run commands as you. The server makes it when it first starts;
this command starts the server if there is no token yet.

Exit code: 0; 1 if there is no token; 2 if the command line is wrong.

Example:
  curl -H "Authorization: Bearer $(troika token)" \
    http://127.0.0.1:4747/api/v1/tasks
)HELP";

constexpr absl::string_view kVersionHelp = R"(usage: troika version

Prints the version of troika, and of the server if one runs.
)";

constexpr size_t kMaxToken = 4096;

int Serve(Args args, const Io& io) {
  const absl::StatusOr<std::string> program =
      client::FindServerProgram(ProcessEnvironment());
  if (!program.ok()) return Fail(io, program.status().message());
  std::vector<std::string> words = {"troika-server"};
  words.insert(words.end(), args.begin(), args.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  // Otherwise the server would inherit that main() ignores it.
  std::signal(SIGPIPE, SIG_DFL);
  execv(program->c_str(), argv.data());
  return Fail(io, absl::StrCat("run ", *program, ": ", strerror(errno)));
}

struct Line {};

absl::StatusOr<Line> ReadLine(Args args) {
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

int PrintVersion(Args args, const Io& io) {
  if (!args.empty()) {
    return UsageError(io, kVersionCommand, "version takes no arguments");
  }
  const absl::StatusOr<std::unique_ptr<Server>> server = FindServer();
  const std::string running = server.ok() ? ServerVersion(**server) : "";
  return Print(
      io, absl::StrCat(
              "troika ", kVersion, "\n",
              running.empty() ? "" : absl::StrCat("server ", running, "\n")));
}

}  // namespace

constinit const Command kServeCommand = {.name = "serve",
                                         .summary = "run the server",
                                         .help = kServeHelp,
                                         .run = Serve};

constinit const Command kTokenCommand = {
    .name = "token",
    .summary = "print the token for the page",
    .help = kTokenHelp,
    .run = RunOnServer<kTokenCommand, ReadLine, PrintToken>};

constinit const Command kVersionCommand = {.name = "version",
                                           .summary = "print the version",
                                           .help = kVersionHelp,
                                           .run = PrintVersion};

}  // namespace troika::cli
