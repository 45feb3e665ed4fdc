#include "relay/start.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/blocking.h"
#include "base/clock.h"
#include "base/find_program.h"
#include "base/status_macros.h"

namespace troika::relay {
namespace {

// For the first process of a relay, which only forks.
constexpr absl::Duration kStartPatience = absl::Seconds(5);
constexpr absl::Duration kKillPatience = absl::Seconds(1);

// Copies a descriptor to a number that no inherited descriptor gets.
absl::StatusOr<UniqueFd> CopyAboveInherited(int fd) {
  UniqueFd copy(fcntl(fd, F_DUPFD_CLOEXEC, kLastInheritedFd + 1));
  if (!copy.ok()) return absl::ErrnoToStatus(errno, "copy a descriptor");
  return copy;
}

absl::StatusOr<UniqueFd> SpecFile(absl::string_view bytes) {
  const UniqueFd file(memfd_create("troika-relay-spec", MFD_CLOEXEC));
  if (!file.ok()) return absl::ErrnoToStatus(errno, "memfd_create");
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n =
        write(file.get(), bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return absl::ErrnoToStatus(errno, "write the relay's spec");
    done += static_cast<size_t>(n);
  }
  if (lseek(file.get(), 0, SEEK_SET) != 0) {
    return absl::ErrnoToStatus(errno, "rewind the relay's spec");
  }
  return CopyAboveInherited(file.get());
}

enum class Waited { kEnded, kLives };

Waited WaitForEnd(pid_t pid, absl::Duration patience, int* status) {
  SystemClock clock;
  const absl::Time deadline = clock.Awake() + patience;
  const UniqueFd process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  while (true) {
    const pid_t ended = waitpid(pid, status, WNOHANG);
    if (ended == pid || (ended < 0 && errno != EINTR)) return Waited::kEnded;
    absl::Duration left = deadline - clock.Awake();
    if (left <= absl::ZeroDuration()) return Waited::kLives;
    // Without a pidfd, we poll.
    if (!process.ok()) left = std::min(left, absl::Milliseconds(2));
    pollfd end = {.fd = process.get(), .events = POLLIN};
    poll(&end, 1, PollTimeout(left));
  }
}

// Reaps a child that is expected to succeed at once.
absl::Status Reap(const std::string& program, pid_t pid) {
  int status = 0;
  if (WaitForEnd(pid, kStartPatience, &status) == Waited::kLives) {
    kill(pid, SIGKILL);
    WaitForEnd(pid, kKillPatience, &status);
    return absl::DeadlineExceededError(absl::StrCat(
        program, " could not begin: its first process was still there after ",
        absl::ToInt64Milliseconds(kStartPatience),
        " ms and was killed; see whether it is a "
        "troika-relay, and whether the machine is overloaded"));
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return absl::UnavailableError(
        absl::StrCat(program,
                     " could not begin: its first process ended with "
                     "status ",
                     status));
  }
  return absl::OkStatus();
}

absl::Status Spawn(const std::string& program, const int (&fds)[4]) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (int i = 0; i < 4; ++i) {
    posix_spawn_file_actions_adddup2(&actions, fds[i], kSpecFd + i);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t signals;
  sigfillset(&signals);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  char name[] = "troika-relay";
  char* const argv[] = {name, nullptr};
  char* const env[] = {nullptr};
  pid_t pid = 0;
  const int error =
      posix_spawn(&pid, program.c_str(), &actions, &attributes, argv, env);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    return absl::ErrnoToStatus(error, absl::StrCat("run ", program));
  }
  return Reap(program, pid);
}

}  // namespace

absl::StatusOr<std::string> FindRelayProgram() {
  const char* const named = getenv("TROIKA_RELAY_BIN");
  return FindProgram("relay", named == nullptr ? "" : named);
}

absl::StatusOr<UniqueFd> StartRelay(const std::string& program,
                                    const RelaySpec& spec, LogWriter log,
                                    int dir_fd) {
  return StartRelayFromBytes(program, Encode(spec), std::move(log), dir_fd);
}

absl::StatusOr<UniqueFd> StartRelayFromBytes(const std::string& program,
                                             absl::string_view spec_bytes,
                                             LogWriter log, int dir_fd) {
  AssertMayBlock("start of a relay");
  RETURN_IF_ERROR(log.Flush());
  ASSIGN_OR_RETURN(const UniqueFd spec_fd, SpecFile(spec_bytes));
  const UniqueFd locked = std::move(log).Release();
  ASSIGN_OR_RETURN(const UniqueFd log_fd, CopyAboveInherited(locked.get()));
  ASSIGN_OR_RETURN(const UniqueFd dir, CopyAboveInherited(dir_fd));
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "pipe");
  UniqueFd ready(ends[0]);
  const UniqueFd told(ends[1]);
  ASSIGN_OR_RETURN(const UniqueFd tell, CopyAboveInherited(told.get()));
  RETURN_IF_ERROR(
      Spawn(program, {spec_fd.get(), log_fd.get(), dir.get(), tell.get()}));
  return ready;
}

absl::Status RelayStarted(int ready_fd) {
  std::string said;
  char buffer[512];
  while (said != "ok") {
    const ssize_t n = read(ready_fd, buffer, sizeof(buffer));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return absl::ErrnoToStatus(errno, "hear of the relay's start");
    if (n == 0) break;
    said.append(buffer, static_cast<size_t>(n));
  }
  if (said == "ok") return absl::OkStatus();
  if (said.empty()) {
    return absl::UnavailableError("the relay died before it served");
  }
  return absl::FailedPreconditionError(
      absl::StrCat("the relay could not start the agent: ", said));
}

}  // namespace troika::relay
