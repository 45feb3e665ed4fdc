#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "agent/environment.h"
#include "cli/server_commands.h"
#include "client/autostart.h"

namespace troika::cli {
namespace {

constexpr absl::string_view kHelp = R"(usage: troika serve [FLAG...]

Runs the server in the foreground, until SIGTERM or Ctrl-C; the agents go on,
and the next server takes them up again. Commands start one by themselves where
none runs, which leaves when it has had nothing to do for a while: this is for a
server that stays, such as a service (tools/troika.service), and for the page.

  --listen HOST:PORT  where on TCP (127.0.0.1:4747); port 0 takes any, none
                      listens on the socket in the state folder alone
  --allow-remote      let HOST be reachable from other machines; who has the
                      token then has all that its user may do here
  --host NAME         another name that clients call this server by; can be
                      repeated
  --demo              offer a scripted agent, too: no CLI is needed for it
  --max-running N     as many tasks work at once (10); others are queued
  --max-running-per HARNESS=N  the same for one harness; can be repeated
  --max-queued N      as many may wait (10000)
  --keep-for TIME     forget tasks that ended so long ago (never): 720h
  --keep-bytes SIZE   forget the oldest ended tasks where the logs of all are
                      over this (never): 20G, 500M

The page and the API on TCP want the token that `troika token` prints.

Exit code: 0 after SIGTERM or Ctrl-C; 1 where it can't serve, such as where
another server does; 2 where the command line is wrong.

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
