#include "relay/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "base/clock.h"
#include "relay/agent_process.h"
#include "relay/pass_fds.h"
#include "relay/process_tree.h"
#include "relay/spec_file.h"

namespace troika::relay {
namespace {

// Time for an agent's helpers to notice that it is gone and to end themselves.
constexpr absl::Duration kLeaveGrace = absl::Milliseconds(300);
constexpr absl::Duration kKillAgain = absl::Milliseconds(10);
// After that, processes that can't be killed are named and left alone.
constexpr absl::Duration kGiveUp = absl::Seconds(10);
constexpr size_t kMaxNames = 50;

class Guard {
 public:
  explicit Guard(UniqueFd relay) : relay_(std::move(relay)) {
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, nullptr);
    signals_ = UniqueFd(signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK));
  }

  // Waits for the descriptors, and starts the agent. Ends if the relay does.
  void Start() {
    auto fds = ReceiveFds(relay_.get(), kGuardFds);
    if (!fds.ok()) _exit(0);
    const auto fd = [&](GuardFd which) -> UniqueFd& {
      return (*fds)[static_cast<size_t>(which)];
    };
    const auto spec = ReadSpec(fd(GuardFd::kSpec).get());
    if (!spec.ok()) _exit(1);
    log_lock_ = std::move(fd(GuardFd::kLog));
    grace_ = spec->grace;
    const AgentStart start =
        StartAgent(*spec, {fd(GuardFd::kIn).get(), fd(GuardFd::kOut).get(),
                           fd(GuardFd::kErr).get()});
    agent_ = start.pid;
    if (agent_ != 0) {
      return Report({.kind = GuardReport::Kind::kStarted, .pid = agent_});
    }
    GuardReport failed = {.kind = GuardReport::Kind::kStartFailed};
    failed.set_text(start.text);
    Report(failed);
    Leave();
  }

  [[noreturn]] void Run() {
    while (true) {
      Reap();
      RunDue();
      pollfd fds[] = {{.fd = signals_.get(), .events = POLLIN},
                      {.fd = relay_.get(), .events = POLLIN}};
      poll(fds, relay_.ok() ? 2 : 1, PollTimeout(due_ - clock_.Awake()));
      signalfd_siginfo info;
      while (read(signals_.get(), &info, sizeof(info)) > 0) {
      }
      if (relay_.ok() && fds[1].revents != 0) ReadCommand();
    }
  }

 private:
  // The last step of the ending that was taken.
  enum class Ending { kNone, kInterrupted, kTerminated, kKilling };

  void Report(const GuardReport& report) {
    if (relay_.ok()) send(relay_.get(), &report, sizeof(report), MSG_NOSIGNAL);
  }

  [[noreturn]] void Leave() {
    Report({.kind = GuardReport::Kind::kGone});
    _exit(0);
  }

  void ReadCommand() {
    GuardCommand command;
    const ssize_t n = recv(relay_.get(), &command, sizeof(command), 0);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (n != sizeof(command)) {
      // The relay is dead, so nobody would record the agent's output.
      relay_.Reset();
      Kill();
      return;
    }
    Report({.kind = GuardReport::Kind::kTaken});
    switch (command.kind) {
      case GuardCommand::Kind::kSignal:
        return SignalGroup(command.signal);
      case GuardCommand::Kind::kStop:
        grace_ = command.grace;
        if (ending_ != Ending::kKilling) NextStep();
        return;
      case GuardCommand::Kind::kKill:
        return Kill();
    }
  }

  // The agent has not been reaped, so its pid can't belong to another process.
  void SignalGroup(int signal) {
    if (agent_ == 0) return;
    kill(-agent_, signal);
    Report({.kind = GuardReport::Kind::kSignalled, .signal = signal});
  }

  void NextStep() {
    if (ending_ == Ending::kNone) {
      ending_ = Ending::kInterrupted;
      SignalGroup(SIGINT);
    } else if (ending_ == Ending::kInterrupted) {
      ending_ = Ending::kTerminated;
      SignalGroup(SIGTERM);
    } else {
      return Kill();
    }
    due_ = clock_.Awake() + grace_;
  }

  void Kill() {
    if (ending_ == Ending::kKilling) return;
    ending_ = Ending::kKilling;
    give_up_ = clock_.Awake() + kGiveUp;
    due_ = absl::InfinitePast();
    if (agent_ != 0) {
      Report({.kind = GuardReport::Kind::kSignalled, .signal = SIGKILL});
    }
  }

  void Reap() {
    while (true) {
      GuardReport exit = {.kind = GuardReport::Kind::kExited};
      const pid_t pid = wait4(-1, &exit.status, WNOHANG, &exit.used);
      if (pid < 0 && errno == ECHILD) {
        ReportLeftover();
        Leave();
      }
      if (pid <= 0) return;
      if (pid != agent_) continue;
      agent_ = 0;
      Report(exit);
      if (ending_ != Ending::kKilling) {
        due_ = clock_.Awake() + kLeaveGrace;
      }
    }
  }

  void RunDue() {
    if (clock_.Awake() < due_) return;
    due_ = absl::InfiniteFuture();
    if (agent_ == 0 && ending_ != Ending::kKilling) {
      leaving_ = true;
      Kill();
    }
    if (ending_ != Ending::kKilling) return NextStep();
    const std::vector<ProcessInfo> killed = KillDescendants();
    const bool given_up = clock_.Awake() > give_up_;
    // Processes that can't be killed are always named.
    if (given_up) leaving_ = true;
    for (const ProcessInfo& process : killed) {
      if (process.pid != agent_) Remember(process.name);
    }
    if (given_up) {
      ReportLeftover();
      Leave();
    }
    due_ = clock_.Awake() + kKillAgain;
  }

  void Remember(const std::string& name) {
    if (leaving_ && names_.size() < kMaxNames &&
        std::find(names_.begin(), names_.end(), name) == names_.end()) {
      names_.push_back(name);
    }
  }

  void ReportLeftover() {
    if (names_.empty()) return;
    GuardReport report = {.kind = GuardReport::Kind::kLeftover};
    report.set_text(absl::StrJoin(names_, absl::string_view("\0", 1)));
    Report(report);
    names_.clear();
  }

  SystemClock clock_;
  UniqueFd relay_;
  UniqueFd log_lock_;
  UniqueFd signals_;
  pid_t agent_ = 0;  // 0 once the agent was reaped.
  absl::Duration grace_;
  Ending ending_ = Ending::kNone;
  absl::Time due_ = absl::InfiniteFuture();  // Time of the next step.
  absl::Time give_up_;
  // The agent ended by itself, and the processes that it left are to be named.
  bool leaving_ = false;
  std::vector<std::string> names_;
};

// Keeps no descriptor but its socket, which gets the first number.
[[noreturn]] void RunGuard(UniqueFd relay, GuardStart start) {
  prctl(PR_SET_NAME, "troika-guard");
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  constexpr int kFirst = 3;
  UniqueFd socket = std::move(relay);
  if (socket.get() != kFirst) {
    dup3(socket.get(), kFirst, O_CLOEXEC);
    socket = UniqueFd(kFirst);
  }
  syscall(SYS_close_range, kFirst + 1, ~0U, 0);
  Guard guard(std::move(socket));
  if (start == GuardStart::kSpare) RehearseReadSpec();
  guard.Start();
  guard.Run();
}

}  // namespace

absl::StatusOr<GuardProcess> ForkGuard(GuardStart start) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return absl::ErrnoToStatus(errno, "make the guard's socket");
  }
  UniqueFd ours(ends[0]);
  UniqueFd theirs(ends[1]);
  const pid_t pid = fork();
  if (pid < 0) return absl::ErrnoToStatus(errno, "fork the guard");
  if (pid == 0) {
    ours.Reset();
    RunGuard(std::move(theirs), start);
  }
  return GuardProcess{.socket = std::move(ours), .pid = pid};
}

}  // namespace troika::relay
