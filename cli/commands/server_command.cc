// `troika server`.
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/fd.h"
#include "base/flags.h"
#include "base/status_macros.h"
#include "base/unix_socket.h"
#include "cli/commands/commands.h"
#include "cli/commands/help.h"
#include "client/autostart.h"
#include "task/home.h"

namespace troika::cli {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(30);
constexpr absl::Duration kPoll = absl::Milliseconds(50);

struct ServerCommandLine {
  enum class What { kStatus, kStop, kRestart } what = What::kStatus;
};

absl::StatusOr<ServerCommandLine> ReadServerCommandLine(Args args) {
  Flags flags;
  ASSIGN_OR_RETURN(const std::vector<std::string> words, flags.Parse(args));
  const std::string word = words.size() == 1 ? words[0] : "";
  if (word == "status")
    return ServerCommandLine{.what = ServerCommandLine::What::kStatus};
  if (word == "stop")
    return ServerCommandLine{.what = ServerCommandLine::What::kStop};
  if (word == "restart")
    return ServerCommandLine{.what = ServerCommandLine::What::kRestart};
  return absl::InvalidArgumentError("say what to do: status, stop or restart");
}

// Returns the process that listens on the server's socket, or 0 if none does.
absl::StatusOr<pid_t> ServerPid(const std::string& home) {
  const UniqueFd folder(open(home.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0) return 0;
  const absl::StatusOr<UniqueFd> socket =
      ConnectUnix(folder.get(), kServerSocket);
  if (!socket.ok()) return 0;
  ucred peer = {};
  socklen_t size = sizeof(peer);
  if (getsockopt(socket->get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    return absl::ErrnoToStatus(errno, "find the server's process");
  }
  if (peer.uid != geteuid()) {
    return absl::FailedPreconditionError(
        absl::StrCat("the server of ", home, " runs as another user"));
  }
  return peer.pid;
}

absl::Status Stop(pid_t pid, const std::string& home) {
  if (kill(pid, SIGTERM) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("stop process ", pid));
  }
  const absl::Time deadline = absl::Now() + kPatience;
  while (absl::Now() < deadline) {
    ASSIGN_OR_RETURN(const pid_t now, ServerPid(home));
    if (now != pid && kill(pid, 0) != 0) return absl::OkStatus();
    absl::SleepFor(kPoll);
  }
  return absl::UnavailableError(absl::StrCat("the server (process ", pid,
                                             ") has not ended after ",
                                             absl::FormatDuration(kPatience)));
}

absl::StatusOr<int> Act(const ServerCommandLine& line, Server& server,
                        const Io& io) {
  const client::ServerAddress& address = server.api.address();
  if (!address.is_local()) {
    return absl::FailedPreconditionError(
        absl::StrCat("the server at ", address.url,
                     " is on another machine: run this command there"));
  }
  ASSIGN_OR_RETURN(const pid_t pid, ServerPid(address.home));
  if (line.what == ServerCommandLine::What::kStatus) {
    if (pid == 0) {
      Print(io, absl::StrCat("no server runs for ", address.home, "\n"));
      return kExitFailure;
    }
    const std::string version = ServerVersion(server);
    const std::string process =
        absl::StrCat("process ", pid, " for ", address.home);
    if (version.empty()) {
      Print(io, absl::StrCat("the server does not answer: ", process,
                             "; end it with: kill -9 ", pid, "\n"));
      return kExitFailure;
    }
    return Print(io,
                 absl::StrCat("server ", version, " runs as ", process, "\n"));
  }
  if (pid == 0 && line.what == ServerCommandLine::What::kStop) {
    Note(io, "no server runs");
    return kExitOk;
  }
  if (pid != 0) RETURN_IF_ERROR(Stop(pid, address.home));
  if (line.what == ServerCommandLine::What::kStop) {
    Note(io, "the server has ended; no agent was ended");
    return kExitOk;
  }
  RETURN_IF_ERROR(
      client::StartServer(address, server.environment,
                          [&](absl::string_view notice) { Note(io, notice); }));
  Note(io, absl::StrCat("server ", ServerVersion(server), " was started"));
  return kExitOk;
}

}  // namespace

constinit const Command kServerCommand = {
    .name = "server",
    .summary = "show, stop or restart the server",
    .help = kServerHelp,
    .run = RunOnServer<kServerCommand, ReadServerCommandLine, Act>};

}  // namespace troika::cli
