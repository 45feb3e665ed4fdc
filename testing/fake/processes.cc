#include "testing/fake/processes.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "testing/fake/io.h"
#include "testing/fake/signals.h"

namespace troika::fake {
namespace {

constexpr char kWrappedEnv[] = "TROIKA_FAKE_WRAPPED";
constexpr char kSleeperEnv[] = "TROIKA_FAKE_SLEEPER";
constexpr char kThisProgram[] = "/proc/self/exe";

volatile pid_t wrapped_child = 0;

void PassOn(int signal) { kill(wrapped_child, signal); }

pid_t Fork() {
  const pid_t pid = fork();
  if (pid < 0) Die(kBadScript, "fake: fork: out of processes or memory");
  return pid;
}

void HandleWrapperSignals(Harness harness) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action = {};
    action.sa_handler = harness == Harness::kGemini ? SIG_IGN : PassOn;
    action.sa_flags = SA_RESTART;
    sigaction(signal, &action, nullptr);
  }
}

[[noreturn]] void BecomeSleeper(const SleeperOptions& options) {
  if (options.own_session) setsid();
  if (options.double_fork && Fork() != 0) _exit(0);
  const int null = open("/dev/null", O_RDWR);
  dup2(null, STDIN_FILENO);
  if (!options.hold_stdout) dup2(null, STDOUT_FILENO);
  dup2(null, STDERR_FILENO);
  if (null > STDERR_FILENO) close(null);
  setenv(kSleeperEnv, "1", 1);
  const char* const tag = getenv("TROIKA_FAKE_TAG");
  const std::string seconds = absl::StrCat(options.seconds);
  execl(kThisProgram, tag ? tag : "troika-fake-sleeper", seconds.c_str(),
        nullptr);
  _exit(kBadScript);
}

}  // namespace

bool IsWrapped() { return getenv(kWrappedEnv) != nullptr; }

void ForgetWrapper() { unsetenv(kWrappedEnv); }

void RunWrapper(Harness harness, char** argv) {
  // The child must neither inherit ignored signals nor miss one.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);
  const pid_t child = Fork();
  if (child == 0) {
    setenv(kWrappedEnv, "1", 1);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    execv(kThisProgram, argv);
    _exit(kBadScript);
  }
  wrapped_child = child;
  HandleWrapperSignals(harness);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) KillSelf(WTERMSIG(status));
  _exit(WEXITSTATUS(status));
}

void ForkSleeper(const SleeperOptions& options) {
  // exec closes the pipe, which shows that the process has its name.
  int started[2];
  if (pipe2(started, O_CLOEXEC) != 0) Die(kBadScript, "fake: pipe2");
  const pid_t child = Fork();
  if (child == 0) BecomeSleeper(options);
  close(started[1]);
  char byte = 0;
  while (read(started[0], &byte, 1) < 0 && errno == EINTR) {
  }
  close(started[0]);
  if (options.double_fork) waitpid(child, nullptr, 0);
}

void SleepIfSleeper(char** argv) {
  if (!getenv(kSleeperEnv)) return;
  prctl(PR_SET_NAME, argv[0]);
  int64_t seconds = 0;
  if (argv[1] && absl::SimpleAtoi(argv[1], &seconds)) {
    absl::SleepFor(absl::Seconds(seconds));
  }
  _exit(0);
}

}  // namespace troika::fake
