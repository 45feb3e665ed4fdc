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
#include "cli/commands/help.h"
#include "client/autostart.h"

namespace troika::cli {
namespace {

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

struct TokenCommandLine {};

absl::StatusOr<TokenCommandLine> ReadTokenCommandLine(Args args) {
  if (args.empty()) return TokenCommandLine();
  return absl::InvalidArgumentError("token takes no arguments");
}

absl::StatusOr<int> PrintToken(const TokenCommandLine&, Server& server,
                               const Io& io) {
  const client::ServerAddress& address = server.api.address();
  if (!address.is_local()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the token of ", address.url,
        " is on that machine: run `troika token` there, and set TROIKA_TOKEN"));
  }
  const std::string path = absl::StrCat(address.home, "/token");
  absl::StatusOr<std::string> token = ReadFile(path, kMaxToken);
  if (absl::IsNotFound(token.status())) {
    RETURN_IF_ERROR(server.api.Get("/healthz", "*/*").status());
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
    .summary = "print the token of the API",
    .help = kTokenHelp,
    .run = RunOnServer<kTokenCommand, ReadTokenCommandLine, PrintToken>};

constinit const Command kVersionCommand = {.name = "version",
                                           .summary = "print the version",
                                           .help = kVersionHelp,
                                           .run = PrintVersion};

}  // namespace troika::cli
