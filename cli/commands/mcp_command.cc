// `troika mcp` and `troika mcp install`.
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/flags.h"
#include "base/line_splitter.h"
#include "base/status_macros.h"
#include "cli/commands/commands.h"
#include "cli/commands/help.h"
#include "client/autostart.h"
#include "client/mcp_pipe.h"

namespace troika::cli {
namespace {

using client::McpPipe;
using Level = client::McpPipeOptions::Level;

// How long replies that are under way are waited for after the input's end.
constexpr absl::Duration kLastReplies = absl::Seconds(2);

struct McpCommandLine {
  std::string toolset;
  std::string install;  // The harness whose CLI gets the server, or empty.
  std::string scope;
  bool yes = false;
};

absl::StatusOr<McpCommandLine> ReadMcpCommandLine(Args args) {
  McpCommandLine line;
  Flags flags;
  flags.Add("toolset", &line.toolset);
  flags.Add("scope", &line.scope);
  flags.Add("yes", &line.yes);
  ASSIGN_OR_RETURN(const std::vector<std::string> words, flags.Parse(args));
  if (words.empty() && line.scope.empty() && !line.yes) return line;
  if (words.size() != 2 || words[0] != "install") {
    return absl::InvalidArgumentError(
        "mcp takes no words, or install and one of claude, codex and gemini");
  }
  line.install = words[1];
  return line;
}

// LOG_LEVEL, by default info.
Level LogLevel(const Environment& environment) {
  const absl::string_view name = environment.Get("LOG_LEVEL");
  if (name == "debug") return Level::kDebug;
  if (name == "warn") return Level::kWarn;
  if (name == "error") return Level::kError;
  return Level::kInfo;
}

// Reads what has come on stdin. False at its end.
absl::StatusOr<bool> ReadInput(int fd, LineSplitter* lines, McpPipe* pipe) {
  std::vector<char> buffer(size_t{64} << 10);
  ASSIGN_OR_RETURN(const size_t n, ReadSome(fd, absl::MakeSpan(buffer)));
  absl::Status taken;
  const auto take = [&](const LineSplitter::Line& line) {
    if (!taken.ok()) return;
    taken = line.size > McpPipe::kMaxLine ? pipe->OnLongLine(line.size)
                                          : pipe->OnLine(line.bytes);
  };
  if (n == 0) {
    lines->Finish(take);
  } else {
    lines->Feed({buffer.data(), n}, take);
  }
  RETURN_IF_ERROR(taken);
  return n > 0;
}

// Returns the exit code.
absl::StatusOr<int> Pump(const Io& io, Signals& signals, McpPipe& pipe) {
  LineSplitter lines(McpPipe::kMaxLine);
  bool at_end = false;
  absl::Time end_at = absl::InfiniteFuture();
  while (!at_end || (pipe.waits() && absl::Now() < end_at)) {
    std::vector<pollfd> fds = {
        {.fd = signals.fd(), .events = POLLIN, .revents = 0}};
    if (!at_end) fds.push_back({.fd = io.in, .events = POLLIN, .revents = 0});
    RETURN_IF_ERROR(pipe.Advance(
        &fds, at_end ? absl::Milliseconds(100) : absl::Seconds(60)));
    if (fds[0].revents != 0) {
      const std::vector<int> came = signals.Take();
      if (!came.empty()) return kExitSignal + came[0];
    }
    if (at_end || fds[1].revents == 0) continue;
    ASSIGN_OR_RETURN(const bool more, ReadInput(io.in, &lines, &pipe));
    if (more) continue;
    at_end = true;
    end_at = absl::Now() + kLastReplies;
  }
  return kExitOk;
}

int RunPipe(const McpCommandLine& line, const Io& io) {
  const Environment environment = ProcessEnvironment();
  const auto address = client::FindServerAddress(environment);
  if (!address.ok()) return FailWith(io, address.status());
  const Level least = LogLevel(environment);
  const auto log = [&io, least](Level level, absl::string_view text) {
    if (level >= least) Note(io, text);
  };
  std::error_code error;
  Signals signals;
  McpPipe pipe({.address = *address,
                .start = client::Starter(*address, environment,
                                         [log](absl::string_view notice) {
                                           log(Level::kInfo, notice);
                                         }),
                .environment = ForAgents(environment),
                .cwd = std::filesystem::current_path(error).string(),
                .toolset = line.toolset,
                .write =
                    [&io](absl::string_view text) {
                      return WriteAll(io.out, absl::StrCat(text, "\n"));
                    },
                .log = log});
  const absl::StatusOr<int> code = Pump(io, signals, pipe);
  pipe.End();
  if (code.ok()) return *code;
  // Nobody reads what we write any more.
  if (absl::IsCancelled(code.status())) return kExitOk;
  return FailWith(io, code.status());
}

// The command of a CLI that adds an MCP server.
absl::StatusOr<std::vector<std::string>> InstallCommand(
    const McpCommandLine& line, const std::string& troika) {
  std::vector<std::string> command;
  if (line.install == "claude") {
    command = {"claude",
               "mcp",
               "add",
               "--scope",
               line.scope.empty() ? "user" : line.scope,
               "troika",
               "--"};
  } else if (line.install == "codex") {
    if (!line.scope.empty()) {
      return absl::InvalidArgumentError(
          "--scope: codex has one configuration only; leave it out");
    }
    command = {"codex", "mcp", "add", "troika", "--"};
  } else if (line.install == "gemini") {
    command = {"gemini",
               "mcp",
               "add",
               "--scope",
               line.scope.empty() ? "user" : line.scope,
               "troika"};
  } else {
    return absl::InvalidArgumentError(absl::StrCat(
        "install: \"", line.install, "\" is none of claude, codex and gemini"));
  }
  command.push_back(troika);
  command.push_back("mcp");
  if (!line.toolset.empty()) {
    // Otherwise Gemini CLI would take it for a flag of its own.
    if (line.install == "gemini") command.push_back("--");
    command.push_back(absl::StrCat("--toolset=", line.toolset));
  }
  return command;
}

// Asks on the terminal whether to run the command.
absl::StatusOr<bool> Confirm(const Io& io) {
  if (!isatty(io.in)) {
    return absl::FailedPreconditionError(
        "there is no terminal to ask on: run the command yourself, or give "
        "--yes");
  }
  RETURN_IF_ERROR(WriteAll(io.err, "Run it? [y/N] "));
  char buffer[64];
  ASSIGN_OR_RETURN(const size_t n, ReadSome(io.in, absl::MakeSpan(buffer)));
  return n > 0 && (buffer[0] == 'y' || buffer[0] == 'Y');
}

absl::StatusOr<int> RunProgram(const std::vector<std::string>& command) {
  std::vector<std::string> words = command;
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = 0;
  const int failed =
      posix_spawnp(&pid, argv[0], nullptr, nullptr, argv.data(), environ);
  if (failed != 0) {
    return absl::NotFoundError(absl::StrCat("run ", command[0], ": ",
                                            strerror(failed),
                                            "; install it, or put it on PATH"));
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : kExitFailure;
}

absl::StatusOr<int> Install(const McpCommandLine& line, const Io& io) {
  std::error_code error;
  const std::string troika =
      std::filesystem::read_symlink("/proc/self/exe", error).string();
  ASSIGN_OR_RETURN(const std::vector<std::string> command,
                   InstallCommand(line, error ? "troika" : troika));
  RETURN_IF_ERROR(
      WriteAll(io.err, absl::StrCat("This adds Troika to ", line.install,
                                    " with its own command:\n  ",
                                    absl::StrJoin(command, " "), "\n")));
  if (!line.yes) {
    ASSIGN_OR_RETURN(const bool confirmed, Confirm(io));
    if (!confirmed) {
      Note(io, "nothing was changed");
      return kExitCancelled;
    }
  }
  return RunProgram(command);
}

int Run(Args args, const Io& io) {
  const absl::StatusOr<McpCommandLine> line = ReadMcpCommandLine(args);
  if (!line.ok()) return UsageError(io, kMcpCommand, line.status().message());
  if (line->install.empty()) return RunPipe(*line, io);
  const absl::StatusOr<int> code = Install(*line, io);
  return code.ok() ? *code : FailWith(io, code.status());
}

}  // namespace

constinit const Command kMcpCommand = {
    .name = "mcp",
    .summary = "serve MCP clients on standard input and output",
    .help = kMcpHelp,
    .run = Run};

}  // namespace troika::cli
