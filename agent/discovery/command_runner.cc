#include "agent/discovery/command_runner.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstring>
#include <set>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/cleanup/cleanup.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/blocking.h"
#include "base/check.h"
#include "base/fd.h"
#include "base/mutex.h"
#include "base/status_macros.h"
#include "base/write_whole.h"

namespace troika {
namespace {

// Tracks the commands that this process is running.
class Running {
 public:
  static Running& Instance() {
    static auto* const kInstance = new Running;
    return *kInstance;
  }

  // Starts a command, unless CancelCommands() was called. Returns an errno.
  int Start(absl::FunctionRef<int(pid_t*)> spawn, pid_t* pid) {
    MutexLock lock(&mutex_);
    if (cancelled_) return ECANCELED;
    const int error = spawn(pid);
    if (error == 0) groups_.insert(*pid);
    return error;
  }
  // Kills the rest of a command's process group, and returns whether all
  // commands were cancelled. Must be called before the command is waited for,
  // because afterwards its group id may be reused.
  bool End(pid_t pid) {
    MutexLock lock(&mutex_);
    kill(-pid, SIGKILL);
    groups_.erase(pid);
    return cancelled_;
  }
  void CancelAll() {
    MutexLock lock(&mutex_);
    cancelled_ = true;
    for (const pid_t group : groups_) kill(-group, SIGKILL);
  }

 private:
  Mutex mutex_;
  bool cancelled_ ABSL_GUARDED_BY(mutex_) = false;
  std::set<pid_t> groups_ ABSL_GUARDED_BY(mutex_);
};

std::string Attempt(const Command& command) {
  return absl::StrCat("run ", command.name.empty()
                                  ? absl::StrJoin(command.argv, " ")
                                  : command.name);
}

bool MakePipe(UniqueFd* reading, UniqueFd* writing) {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) return false;
  *reading = UniqueFd(fds[0]);
  *writing = UniqueFd(fds[1]);
  return true;
}

// Makes the command's stdin. A pipe's other end goes to `writing`.
absl::Status MakeInput(const Command& command, UniqueFd* reading,
                       UniqueFd* writing) {
  if (command.input.empty()) return absl::OkStatus();
  if (command.input_end == Command::InputEnd::kEnds) {
    // A file in memory takes any size at once, and ends.
    *reading = UniqueFd(memfd_create("input", MFD_CLOEXEC));
    if (!reading->ok()) return absl::ErrnoToStatus(errno, Attempt(command));
    RETURN_IF_ERROR(
        WriteWhole(reading->get(), command.input, Attempt(command)));
    lseek(reading->get(), 0, SEEK_SET);
    return absl::OkStatus();
  }
  CHECK(command.input.size() <= PIPE_BUF);  // An empty pipe takes it at once.
  if (!MakePipe(reading, writing)) {
    return absl::ErrnoToStatus(errno, Attempt(command));
  }
  return WriteWhole(writing->get(), command.input, Attempt(command));
}

std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& text : strings) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Starts the command with `input` as its stdin, unless that is -1, and `output`
// as its stdout. Returns an errno.
int Spawn(const Command& command, int input, int output, pid_t* pid) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  absl::Cleanup destroy = [&] {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  };
  if (input >= 0) {
    posix_spawn_file_actions_adddup2(&files, input, 0);
  } else {
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  }
  posix_spawn_file_actions_adddup2(&files, output, 1);
  if (command.stderr_mode == Command::Stderr::kInError) {
    posix_spawn_file_actions_adddup2(&files, output, 2);
  } else {
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  }
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP |
                                            POSIX_SPAWN_SETSIGMASK |
                                            POSIX_SPAWN_SETSIGDEF);
  std::vector<std::string> argv = command.argv;
  std::vector<std::string> env;
  for (const auto& [name, value] : command.env.variables()) {
    env.push_back(absl::StrCat(name, "=", value));
  }
  return posix_spawn(pid, command.argv[0].c_str(), &files, &attributes,
                     Pointers(argv).data(), Pointers(env).data());
}

enum class End { kRead, kEmpty, kClosed };

// Reads the available bytes and keeps the first ones.
End ReadSome(int fd, std::string* out) {
  char buffer[4096];
  const ssize_t count = read(fd, buffer, sizeof(buffer));
  if (count < 0) return errno == EINTR ? End::kRead : End::kEmpty;
  if (count == 0) return End::kClosed;
  const size_t room = ProcessRunner::kMaxOutputBytes - out->size();
  out->append(buffer, std::min<size_t>(count, room));
  return End::kRead;
}

// Removes whole lines from the start of `out` until one contains `text`, and
// leaves only that. Returns whether there was one.
bool TakeLineWith(absl::string_view text, std::string* out) {
  size_t begin = 0;
  size_t end;
  while ((end = out->find('\n', begin)) != std::string::npos) {
    std::string line = out->substr(begin, end - begin);
    if (absl::StrContains(line, text)) {
      *out = std::move(line);
      return true;
    }
    begin = end + 1;
  }
  out->erase(0, begin);
  return false;
}

enum class Outcome { kExited, kLastLine, kTooLate };

// Collects output until the process exits, even if others still hold the pipe
// open, or until its last line has come.
Outcome ReadUntilEnd(const Command& command, int output, int process,
                     std::string* out) {
  const auto deadline = std::chrono::steady_clock::now() +
                        absl::ToChronoNanoseconds(command.deadline);
  const auto has_last_line = [&] {
    return !command.last_line_has.empty() &&
           TakeLineWith(command.last_line_has, out);
  };
  struct pollfd fds[] = {{.fd = process, .events = POLLIN},
                         {.fd = output, .events = POLLIN}};
  while (true) {
    const int64_t left = absl::ToInt64Milliseconds(
        absl::FromChrono(deadline - std::chrono::steady_clock::now()));
    if (left <= 0) return Outcome::kTooLate;
    poll(fds, 2, static_cast<int>(std::min<int64_t>(left, 60000)));
    if (fds[1].revents != 0 && ReadSome(output, out) == End::kClosed) {
      fds[1].fd = -1;
      fds[1].revents = 0;
    }
    if (has_last_line()) return Outcome::kLastLine;
    if (fds[0].revents == 0) continue;
    while (fds[1].fd >= 0 && out->size() < ProcessRunner::kMaxOutputBytes &&
           ReadSome(output, out) == End::kRead) {
    }
    return has_last_line() ? Outcome::kLastLine : Outcome::kExited;
  }
}

absl::Status Cancelled(const Command& command) {
  return absl::CancelledError(
      absl::StrCat(Attempt(command), ": this process is about to end"));
}

absl::Status ExitStatus(const Command& command, int status,
                        absl::string_view output) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return absl::OkStatus();
  std::string text =
      WIFEXITED(status)
          ? absl::StrCat(Attempt(command), ": exited with code ",
                         WEXITSTATUS(status), "; check that it works by hand")
          : absl::StrCat(Attempt(command), ": ended by signal ",
                         WTERMSIG(status), "; check that it works by hand");
  if (command.stderr_mode == Command::Stderr::kInError && !output.empty()) {
    absl::StrAppend(&text, ":\n", output);
  }
  return absl::FailedPreconditionError(text);
}

}  // namespace

absl::StatusOr<std::string> ProcessRunner::Run(const Command& command) {
  AssertMayBlock("run of another program");
  UniqueFd input, input_end, output, output_end;
  if (!MakePipe(&output, &output_end)) {
    return absl::ErrnoToStatus(errno, Attempt(command));
  }
  RETURN_IF_ERROR(MakeInput(command, &input, &input_end));
  fcntl(output.get(), F_SETFL, O_NONBLOCK);
  pid_t pid = 0;
  const int error = Running::Instance().Start(
      [&](pid_t* started) {
        return Spawn(command, input.get(), output_end.get(), started);
      },
      &pid);
  output_end.Reset();
  input.Reset();
  if (error == ECANCELED) return Cancelled(command);
  if (error != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat(Attempt(command), ": ", strerror(error)));
  }
  const UniqueFd process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  std::string bytes;
  const Outcome outcome =
      ReadUntilEnd(command, output.get(), process.get(), &bytes);
  const bool cancelled = Running::Instance().End(pid);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (cancelled) return Cancelled(command);
  if (outcome == Outcome::kLastLine) return bytes;
  if (outcome == Outcome::kTooLate) {
    return absl::DeadlineExceededError(
        absl::StrCat(Attempt(command), ": took longer than ",
                     absl::FormatDuration(command.deadline),
                     "; check that it works by hand"));
  }
  RETURN_IF_ERROR(ExitStatus(command, status, bytes));
  if (!command.last_line_has.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat(Attempt(command),
                     ": ended without a reply; check that it works by hand"));
  }
  return bytes;
}

void CancelCommands() { Running::Instance().CancelAll(); }

}  // namespace troika
