#include "client/autostart.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/fd.h"
#include "base/find_program.h"
#include "base/status_macros.h"

namespace troika::client {
namespace {

// Longer than a server waits for the end of the one before it (15 s).
constexpr absl::Duration kStartPatience = absl::Seconds(30);
constexpr size_t kMaxReport = size_t{16} << 10;
constexpr int kReadyFd = 3;

std::string Absolute(const std::string& path) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(path, error);
  return error ? path : whole.string();
}

// The server runs in another folder, so paths of programs become absolute.
std::vector<std::string> ServerEnvironment(const ServerAddress& address,
                                           const Environment& environment) {
  std::vector<std::string> entries = {
      absl::StrCat("TROIKA_HOME=", address.home)};
  for (const auto& [name, value] : environment.variables()) {
    if (name == "TROIKA_HOME") continue;
    const bool program = absl::StartsWith(name, "TROIKA_") &&
                         absl::EndsWith(name, "_BIN") &&
                         absl::StrContains(value, "/");
    entries.push_back(
        absl::StrCat(name, "=", program ? Absolute(value) : value));
  }
  return entries;
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

struct Spawn {
  const char* program;
  char* const* argv;
  char* const* env;
  int null_fd;
  int log_fd;
  int ready_fd;
};

// Runs in the child: calls only what is allowed after a fork.
[[noreturn]] void ExecServer(const Spawn& spawn) {
  setsid();
  // The second child is not ours to reap, and can't get a terminal again.
  const pid_t pid = fork();
  if (pid != 0) _exit(pid < 0 ? 1 : 0);
  // Moves them away from the numbers that dup2 is about to overwrite.
  const int ready = fcntl(spawn.ready_fd, F_DUPFD, 10);
  const int log = fcntl(spawn.log_fd, F_DUPFD, 10);
  dup2(spawn.null_fd, 0);
  dup2(log, 1);
  dup2(log, 2);
  dup2(ready, kReadyFd);
  close_range(kReadyFd + 1, ~0U, 0);
  signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  (void)!chdir("/");
  execve(spawn.program, spawn.argv, spawn.env);
  dprintf(kReadyFd, "run %s: errno %d\n", spawn.program, errno);
  _exit(127);
}

// Returns the end of a pipe on which the server reports its start.
absl::StatusOr<UniqueFd> Launch(const std::string& program,
                                const ServerAddress& address,
                                const Environment& environment) {
  const std::string log_path = absl::StrCat(address.home, "/server.log");
  const UniqueFd log(
      open(log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!log.ok()) {
    return absl::ErrnoToStatus(errno, absl::StrCat("open ", log_path));
  }
  const UniqueFd null(open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null.ok()) return absl::ErrnoToStatus(errno, "open /dev/null");
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "pipe");
  UniqueFd ready(ends[0]);
  const UniqueFd report(ends[1]);
  std::vector<std::string> args = {"troika-server", "--auto",
                                   absl::StrCat("--ready-fd=", kReadyFd)};
  std::vector<std::string> variables = ServerEnvironment(address, environment);
  const std::vector<char*> argv = Pointers(args);
  const std::vector<char*> env = Pointers(variables);
  const pid_t pid = fork();
  if (pid < 0) return absl::ErrnoToStatus(errno, "start the server: fork");
  if (pid == 0) {
    ExecServer({.program = program.c_str(),
                .argv = argv.data(),
                .env = env.data(),
                .null_fd = null.get(),
                .log_fd = log.get(),
                .ready_fd = report.get()});
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return ready;
}

// Waits for the report of how the start of a server went (server/main.cc).
std::string ReadReport(int fd) {
  const absl::Time deadline = absl::Now() + kStartPatience;
  std::string text;
  char buffer[512];
  while (!absl::EndsWith(text, "ok\n") && text.size() < kMaxReport) {
    const int64_t millis = absl::ToInt64Milliseconds(deadline - absl::Now());
    pollfd wait = {.fd = fd, .events = POLLIN, .revents = 0};
    const int ready =
        millis <= 0 ? 0 : poll(&wait, 1, static_cast<int>(millis));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) {
      return absl::StrCat("it did not serve within ",
                          absl::FormatDuration(kStartPatience));
    }
    const ssize_t n = read(fd, buffer, sizeof(buffer));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    text.append(buffer, static_cast<size_t>(n));
  }
  return text;
}

}  // namespace

absl::StatusOr<std::string> FindServerProgram(const Environment& environment) {
  const absl::string_view named = environment.Get("TROIKA_SERVER_BIN");
  return FindProgram("server",
                     named.empty() ? "" : Absolute(std::string(named)));
}

absl::Status StartServer(const ServerAddress& address,
                         const Environment& environment,
                         const StartNotice& notice) {
  ASSIGN_OR_RETURN(const std::string program, FindServerProgram(environment));
  ASSIGN_OR_RETURN(const UniqueFd ready, Launch(program, address, environment));
  const std::string report = ReadReport(ready.get());
  absl::string_view text = report;
  while (absl::ConsumePrefix(&text, "note ")) {
    const size_t end = std::min(text.find('\n'), text.size());
    notice(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  text = absl::StripTrailingAsciiWhitespace(text);
  if (text == "ok" || absl::StartsWith(text, "exists ")) {
    return absl::OkStatus();
  }
  if (absl::ConsumePrefix(&text, "refused ")) {
    return absl::PermissionDeniedError(text);
  }
  return absl::UnavailableError(
      absl::StrCat("start ", program, ": ",
                   text.empty() ? "it ended without a report" : text, "; see ",
                   address.home, "/server.log"));
}

std::function<absl::Status()> Starter(const ServerAddress& address,
                                      const Environment& environment,
                                      StartNotice notice) {
  if (!address.is_local() || !environment.Get("TROIKA_NO_AUTOSTART").empty()) {
    return nullptr;
  }
  return [address, environment, notice = std::move(notice)] {
    return StartServer(address, environment, notice);
  };
}

}  // namespace troika::client
