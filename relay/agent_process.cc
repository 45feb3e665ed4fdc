#include "relay/agent_process.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "absl/strings/str_cat.h"
#include "base/fd.h"

namespace troika::relay {
namespace {

enum class Step : int { kFolder, kStdio, kProgram };

struct Failure {
  Step step;
  int error;
};

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) {
    pointers.push_back(const_cast<char*>(text.c_str()));
  }
  pointers.push_back(nullptr);
  return pointers;
}

void ResetSignals() {
  // Those that a relay ignores; handlers don't survive the exec.
  for (const int ignored : {SIGPIPE, SIGHUP, SIGINT, SIGXFSZ}) {
    signal(ignored, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

// Runs in the memory of the guard, which waits meanwhile: this must neither
// change anything that the guard still needs nor allocate.
[[noreturn]] void Exec(const RelaySpec& spec, char* const* argv,
                       char* const* env, const AgentFds& fds, int failure_fd) {
  const auto fail = [&](Step step) {
    const Failure failure = {step, errno};
    (void)!write(failure_fd, &failure, sizeof(failure));
    _exit(127);
  };
  setsid();
  ResetSignals();
  // All our descriptors are CLOEXEC; those that we have inherited may not be.
  syscall(SYS_close_range, 3, ~0U, CLOSE_RANGE_CLOEXEC);
  if (dup2(fds.in, 0) < 0 || dup2(fds.out, 1) < 0 || dup2(fds.err, 2) < 0) {
    fail(Step::kStdio);
  }
  if (chdir(spec.cwd.c_str()) != 0) fail(Step::kFolder);
  execve(argv[0], argv, env);
  fail(Step::kProgram);
  _exit(127);
}

std::string Describe(const Failure& failure, const RelaySpec& spec) {
  const absl::string_view error = strerror(failure.error);
  switch (failure.step) {
    case Step::kFolder:
      return absl::StrCat("enter the folder ", spec.cwd, ": ", error);
    case Step::kStdio:
      return absl::StrCat("connect the agent's stdio: ", error);
    case Step::kProgram:
      break;
  }
  return absl::StrCat("run ", spec.argv[0], ": ", error);
}

}  // namespace

AgentStart StartAgent(const RelaySpec& spec, const AgentFds& fds) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return {.text = absl::StrCat("pipe: ", strerror(errno))};
  }
  const UniqueFd failed(ends[0]);
  UniqueFd fail_to(ends[1]);
  const std::vector<char*> argv = Pointers(spec.argv);
  const std::vector<char*> env = Pointers(spec.env);
  // fork() would copy our memory, which would cost more than all else here.
  const pid_t pid = vfork();
  if (pid < 0) {
    return {.text = absl::StrCat("fork: ", strerror(errno))};
  }
  if (pid == 0) Exec(spec, argv.data(), env.data(), fds, fail_to.get());
  fail_to.Reset();
  Failure failure = {};
  ssize_t n = 0;
  do {
    n = read(failed.get(), &failure, sizeof(failure));
  } while (n < 0 && errno == EINTR);
  if (n != sizeof(failure)) return {.pid = pid};
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  return {.text = Describe(failure, spec)};
}

}  // namespace troika::relay
