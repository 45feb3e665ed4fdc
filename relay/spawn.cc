#include "relay/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "relay/spec.h"

namespace troika::relay {
namespace {

// The new processes run in our memory while we wait, as after vfork(), so this
// tells them what to do, and us what came of it.
struct Execution {
  const char* program;
  const char* const* env;
  absl::Span<const int> fds;  // Become the descriptors from kSpecFd on.
  char* stack_end;
  int process = -1;  // A pidfd.
  pid_t pid = 0;
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
  int number = kSpecFd;
  for (const int fd : execution->fds) {
    if (syscall(SYS_dup3, fd, number++, 0) < 0) {
      execution->error = errno;
      return 1;
    }
  }
  const uint64_t no_signals = 0;
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &no_signals, nullptr,
          sizeof(no_signals));
  const char* const argv[] = {"troika-relay", nullptr};
  syscall(SYS_execve, execution->program, argv, execution->env);
  execution->error = errno;
  return 1;
}

// The relay's parent, which ends once the relay runs: so the relay is orphaned.
TROIKA_UNSANITIZED int RunParent(void* argument) {
  auto* const execution = static_cast<Execution*>(argument);
  execution->pid = __clone(RunProgram, execution->stack_end,
                           CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD,
                           argument, &execution->process);
  if (execution->pid < 0) execution->error = errno;
  return 0;
}

}  // namespace

absl::StatusOr<UniqueFd> CopyAboveInherited(int fd) {
  UniqueFd copy(fcntl(fd, F_DUPFD_CLOEXEC, kLastInheritedFd + 1));
  if (!copy.ok()) return absl::ErrnoToStatus(errno, "copy a descriptor");
  return copy;
}

absl::StatusOr<UniqueFd> SpecFile(absl::string_view bytes) {
  UniqueFd file(memfd_create("troika-relay-spec", MFD_CLOEXEC));
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
  return file;
}

bool WaitUntilReadable(int fd, absl::Duration patience) {
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

// Signals are blocked meanwhile, because a handler must not run in a process
// that shares our memory.
absl::StatusOr<SpawnedRelay> SpawnRelay(const std::string& program,
                                        const char* const* env,
                                        absl::Span<const int> fds) {
  constexpr size_t kStackBytes = size_t{32} << 10;
  std::vector<char> stacks(2 * kStackBytes);
  const auto stack_end = [&](size_t i) {
    char* const end = stacks.data() + (i + 1) * kStackBytes;
    return end - reinterpret_cast<uintptr_t>(end) % 16;
  };
  Execution execution = {.program = program.c_str(),
                         .env = env,
                         .fds = fds,
                         .stack_end = stack_end(1)};
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
  SpawnedRelay relay = {.process = UniqueFd(execution.process),
                        .pid = execution.pid};
  if (execution.error == 0) return relay;
  // Until it has ended, it has the log's lock.
  if (relay.process.ok()) {
    WaitUntilReadable(relay.process.get(), absl::Seconds(1));
  }
  return absl::ErrnoToStatus(execution.error, absl::StrCat("run ", program));
}

}  // namespace troika::relay
