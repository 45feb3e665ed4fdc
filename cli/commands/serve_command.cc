#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "agent/discovery/environment.h"
#include "cli/commands/server_commands.h"
#include "client/autostart.h"

namespace troika::cli {
namespace {

constexpr absl::string_view kHelp = R"(usage: troika serve [FLAG...]

Runs the server in the foreground until SIGTERM, SIGHUP or Ctrl-C; a second
signal ends it at once. The agents go on, and the next server takes them up.
Commands start a server by themselves if none runs, and it leaves when it has
had nothing to do for a while. This command is for a server that stays, such as
a service (tools/troika.service), and for the page. It takes the place of a
server that a command has started. If this server is killed, the next command
starts one with the same flags in its place.

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

int Run(absl::Span<const std::string> args, const Io& io) {
  const absl::StatusOr<std::string> program =
      client::FindServerProgram(ProcessEnvironment());
  if (!program.ok()) return Fail(io, program.status().message());
  std::vector<std::string> words = {"troika-server"};
  words.insert(words.end(), args.begin(), args.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  // What main() ignores would be ignored there, too.
  std::signal(SIGPIPE, SIG_DFL);
  execv(program->c_str(), argv.data());
  return Fail(io, absl::StrCat("run ", *program, ": ", strerror(errno)));
}

}  // namespace

constinit const Command kServeCommand = {
    .name = "serve", .summary = "run the server", .help = kHelp, .run = Run};

}  // namespace troika::cli
