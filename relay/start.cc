#include "relay/start.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
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

// Waits until `fd` is readable. Returns false if `patience` is over before.
bool WaitFor(int fd, absl::Duration patience) {
  SystemClock clock;
  const absl::Time deadline = clock.Awake() + patience;
  while (true) {
    pollfd wanted = {.fd = fd, .events = POLLIN};
    if (poll(&wanted, 1, PollTimeout(deadline - clock.Awake())) > 0) {
      return true;
    }
    if (clock.Awake() >= deadline) return false;
  }
}

// The new processes run in our memory while we wait, as after vfork(), so this
// tells them what to do, and us what came of it.
struct Execution {
  const char* program;
  const int* fds;  // Become the descriptors from kSpecFd on.
  char* stack_end;
  int process = -1;  // A pidfd.
  int error = 0;
};

// The sanitizers must know nothing of these processes. They wrap clone(), but
// not its other name.
extern "C" int __clone(int (*run)(void*), void* stack_end, int flags,
                       void* argument, ...);
#define TROIKA_UNSANITIZED \
  __attribute__((no_sanitize("address", "thread", "undefined")))

// The relay's process until it runs the program.
TROIKA_UNSANITIZED int RunProgram(void* argument) {
  auto* const execution = static_cast<Execution*>(argument);
  for (int i = 0; i <= kLastInheritedFd - kSpecFd; ++i) {
    if (syscall(SYS_dup3, execution->fds[i], kSpecFd + i, 0) < 0) {
      execution->error = errno;
      return 1;
    }
  }
  const uint64_t no_signals = 0;
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &no_signals, nullptr,
          sizeof(no_signals));
  const char* const argv[] = {"troika-relay", nullptr};
  const char* const env[] = {kDetachedVariable, nullptr};
  syscall(SYS_execve, execution->program, argv, env);
  execution->error = errno;
  return 1;
}

// The relay's parent, which ends once the relay runs: so the relay is orphaned.
TROIKA_UNSANITIZED int RunParent(void* argument) {
  auto* const execution = static_cast<Execution*>(argument);
  if (__clone(RunProgram, execution->stack_end,
              CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, argument,
              &execution->process) < 0) {
    execution->error = errno;
  }
  return 0;
}

// Returns a pidfd of the relay. Signals are blocked meanwhile, because a
// handler must not run in a process that shares our memory.
absl::StatusOr<UniqueFd> Spawn(const std::string& program, const int* fds) {
  constexpr size_t kStackBytes = size_t{32} << 10;
  std::vector<char> stacks(2 * kStackBytes);
  const auto stack_end = [&](size_t i) {
    char* const end = stacks.data() + (i + 1) * kStackBytes;
    return end - reinterpret_cast<uintptr_t>(end) % 16;
  };
  Execution execution = {
      .program = program.c_str(), .fds = fds, .stack_end = stack_end(1)};
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  // It shares our descriptors too, so that we get the pidfd.
  const pid_t parent =
      __clone(RunParent, stack_end(0),
              CLONE_VM | CLONE_VFORK | CLONE_FILES | SIGCHLD, &execution);
  if (parent < 0) execution.error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  while (parent > 0 && waitpid(parent, nullptr, 0) < 0 && errno == EINTR) {
  }
  UniqueFd process(execution.process);
  if (execution.error == 0) return process;
  // Until it has ended, it has the log's lock.
  if (process.ok()) WaitFor(process.get(), kKillPatience);
  return absl::ErrnoToStatus(execution.error, absl::StrCat("run ", program));
}

}  // namespace

absl::StatusOr<std::string> FindRelayProgram() {
  const char* const named = getenv("TROIKA_RELAY_BIN");
  return FindProgram("relay", named == nullptr ? "" : named);
}

absl::StatusOr<StartingRelay> StartRelay(const std::string& program,
                                         const RelaySpec& spec, LogWriter log,
                                         int dir_fd) {
  return StartRelayFromBytes(program, Encode(spec), std::move(log), dir_fd);
}

absl::StatusOr<StartingRelay> StartRelayFromBytes(const std::string& program,
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
  StartingRelay starting = {.ready = UniqueFd(ends[0])};
  const UniqueFd report(ends[1]);
  ASSIGN_OR_RETURN(const UniqueFd report_fd, CopyAboveInherited(report.get()));
  const int fds[] = {spec_fd.get(), log_fd.get(), dir.get(), report_fd.get()};
  ASSIGN_OR_RETURN(starting.process, Spawn(program, fds));
  return starting;
}

absl::Status RelayStarted(const StartingRelay& starting,
                          absl::Duration patience) {
  std::string said;
  char buffer[512];
  while (said != "ok") {
    if (!WaitFor(starting.ready.get(), patience)) {
      syscall(SYS_pidfd_send_signal, starting.process.get(), SIGKILL, nullptr,
              0);
      WaitFor(starting.process.get(), kKillPatience);
      return absl::DeadlineExceededError(
          "the relay did not start in time and was killed; see whether its "
          "program is a troika-relay, and whether the machine is overloaded");
    }
    const ssize_t n = read(starting.ready.get(), buffer, sizeof(buffer));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return absl::ErrnoToStatus(errno, "read the relay's report");
    if (n == 0) break;
    said.append(buffer, static_cast<size_t>(n));
    patience = kStartPatience;  // For the rest of the report.
  }
  if (said == "ok") return absl::OkStatus();
  if (said.empty()) {
    return absl::UnavailableError("the relay died before it served");
  }
  return absl::FailedPreconditionError(
      absl::StrCat("the relay could not start the agent: ", said));
}

}  // namespace troika::relay
