#include "relay/guarded_agent.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "relay/pass_fds.h"
#include "relay/process_tree.h"

namespace troika::relay {
namespace {

constexpr int kPipeBytes = 256 << 10;
constexpr absl::Duration kKillAgain = absl::Milliseconds(10);
// After that, processes that can't be killed are named and left alone.
constexpr absl::Duration kGiveUp = absl::Seconds(10);
// A guard takes a command within milliseconds, unless somebody has stopped it.
constexpr absl::Duration kGuardPatience = absl::Seconds(2);
// If checks are that far apart, we stood still ourselves, and so did the guard.
constexpr absl::Duration kOverslept = absl::Milliseconds(1500);

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

absl::StatusOr<Pipe> MakePipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "pipe");
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

}  // namespace

absl::StatusOr<GuardedAgent::Stdio> GuardedAgent::Start(StdinMode stdin_mode,
                                                        int spec_fd) {
  Pipe in;
  if (stdin_mode == StdinMode::kPipe) {
    ASSIGN_OR_RETURN(in, MakePipe());
  } else {
    in.read = UniqueFd(open("/dev/null", O_RDONLY | O_CLOEXEC));
  }
  ASSIGN_OR_RETURN(Pipe out, MakePipe());
  ASSIGN_OR_RETURN(Pipe err, MakePipe());
  fcntl(out.write.get(), F_SETPIPE_SZ, kPipeBytes);
  // In the order of GuardFd.
  RETURN_IF_ERROR(
      SendFds(guard_.get(), {spec_fd, log_->writer().fd(), in.read.get(),
                             out.write.get(), err.write.get()}));
  return Stdio{std::move(in.write), std::move(out.read), std::move(err.read)};
}

void GuardedAgent::AwaitStart(absl::Duration patience) const {
  pollfd report = {.fd = guard_.get(), .events = POLLIN};
  poll(&report, 1, PollTimeout(patience));
}

void GuardedAgent::Send(const GuardCommand& command) {
  if (guard_.ok()) send(guard_.get(), &command, sizeof(command), MSG_NOSIGNAL);
}

void GuardedAgent::Signal(int signal) {
  Send({.kind = GuardCommand::Kind::kSignal, .signal = signal});
}

void GuardedAgent::SendEnding(const GuardCommand& command) {
  Send(command);
  if (!guard_.ok()) return;
  guard_due_ = std::min(guard_due_, clock_->Awake() + kGuardPatience);
}

void GuardedAgent::Stop(absl::Duration grace) {
  SendEnding({.kind = GuardCommand::Kind::kStop, .grace = grace});
}

void GuardedAgent::Kill() { SendEnding({.kind = GuardCommand::Kind::kKill}); }

void GuardedAgent::ReadReports() {
  while (guard_.ok()) {
    GuardReport report;
    const ssize_t n = recv(guard_.get(), &report, sizeof(report), MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) {
      guard_.Reset();
      give_up_ = clock_->Awake() + kGiveUp;
      return;
    }
    guard_due_ = absl::InfiniteFuture();
    OnReport(report);
  }
}

absl::string_view GuardedAgent::guard_death() const {
  if (!give_up_) return "";
  return guard_overdue_
             ? "the guard did not answer, and was killed with the agent"
             : "the guard was killed, and the agent was ended with it";
}

void GuardedAgent::OnReport(const GuardReport& report) {
  switch (report.kind) {
    case GuardReport::Kind::kTaken:
      return;
    case GuardReport::Kind::kStarted:
      agent_pid_ = report.pid;
      return;
    case GuardReport::Kind::kStartFailed:
      start_failed_ = true;
      return log_->AppendNote(
          NoteText("start_failed").String("error", report.text()).Take());
    case GuardReport::Kind::kSignalled:
      return log_->AppendNote(
          NoteText("signalled").Int("signal", report.signal).Take());
    case GuardReport::Kind::kExited:
      exited_ = report;
      return;
    case GuardReport::Kind::kLeftover:
      return log_->AppendNote(
          NoteText("leftover")
              .Strings("processes", absl::StrSplit(report.text(), '\0'))
              .Take());
    case GuardReport::Kind::kGone:
      gone_ = true;
      guard_.Reset();
      return;
  }
}

absl::Time GuardedAgent::KillOverdue(absl::Time now) {
  const absl::Time checked = std::exchange(checked_, now);
  if (give_up_) return KillOrphans(now);
  if (now < guard_due_) return guard_due_;
  if (now - checked > kOverslept) {
    guard_due_ = now + kGuardPatience;
    return guard_due_;
  }
  // ReadReports() notices that the killed guard's socket closes.
  guard_due_ = absl::InfiniteFuture();
  guard_overdue_ = true;
  kill(guard_pid_, SIGKILL);
  return guard_due_;
}

absl::Time GuardedAgent::KillOrphans(absl::Time now) {
  if (gone_) return absl::InfiniteFuture();
  const std::vector<ProcessInfo> left = KillDescendants();
  if (!left.empty() && now > *give_up_) {
    std::vector<std::string> names;
    for (const ProcessInfo& process : left) names.push_back(process.name);
    log_->AppendNote(NoteText("leftover").Strings("processes", names).Take());
    gone_ = true;
  }
  while (!gone_) {
    GuardReport exit;
    const pid_t pid = wait4(-1, &exit.status, WNOHANG, &exit.used);
    if (pid < 0 && errno == ECHILD) gone_ = true;
    if (pid <= 0) break;
    if (pid == agent_pid_) exited_ = exit;
  }
  return now + kKillAgain;
}

void GuardedAgent::DescribeExit(absl::string_view reason,
                                NoteText* note) const {
  if (exited_ && WIFSIGNALED(exited_->status)) {
    note->Int("signal", WTERMSIG(exited_->status));
  } else if (exited_) {
    note->Int("code", WEXITSTATUS(exited_->status));
  }
  note->String("reason", reason);
  if (!exited_) return;
  const auto micros = [](const timeval& time) {
    return absl::ToInt64Microseconds(absl::DurationFromTimeval(time));
  };
  note->Int("utime_us", micros(exited_->used.ru_utime))
      .Int("stime_us", micros(exited_->used.ru_stime))
      .Int("max_rss_kb", exited_->used.ru_maxrss);
}

}  // namespace troika::relay
