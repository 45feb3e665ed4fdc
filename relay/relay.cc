#include "relay/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "relay/guard.h"
#include "relay/log_format.h"
#include "relay/note_text.h"
#include "relay/process_tree.h"

namespace troika::relay {
namespace {

constexpr size_t kReadBytes = size_t{128} << 10;
constexpr int kPipeBytes = 256 << 10;
constexpr size_t kErrTail = 2048;
constexpr absl::Duration kTick = absl::Seconds(1);
constexpr absl::Duration kRetry = absl::Milliseconds(200);
constexpr absl::Duration kKillAgain = absl::Milliseconds(10);
// After that, processes that can't be killed are named and left alone.
constexpr absl::Duration kGiveUp = absl::Seconds(10);
// Longest rest of a partly written record that the reserve has room for.
constexpr size_t kMaxRest = size_t{32} << 10;

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

absl::StatusOr<Pipe> MakePipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "pipe");
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

void SetNonblocking(int fd) {
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

}  // namespace

Relay::Relay(RelaySpec spec, LogWriter log, int dir_fd, Clock* clock)
    : spec_(std::move(spec)),
      log_(std::move(log)),
      dir_fd_(dir_fd),
      clock_(clock),
      disk_(dir_fd),
      out_{UniqueFd(), LineRecorder(Stream::kStdout, &log_)},
      err_{UniqueFd(), LineRecorder(Stream::kStderr, &log_)} {}

Relay::~Relay() = default;

absl::Status Relay::Start() {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  signal(SIGINT, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);  // A file size limit is handled like a full disk.
  AppendNote(spec_.spawned_note, spec_.spawned_key);
  RETURN_IF_ERROR(log_.Flush());
  RETURN_IF_ERROR(ForkGuard());
  // The rest runs while the agent starts. If it fails, we end, and then the
  // guard ends the agent.
  ASSIGN_OR_RETURN(UniqueFd listener, ListenIn(dir_fd_));
  connections_ = std::make_unique<Connections>(std::move(listener), this);
  buffer_.resize(kReadBytes);
  disk_.Reserve();
  // For connections. The agent keeps the limit of its starter.
  rlimit files = {};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  sigset_t asked;
  sigemptyset(&asked);
  sigaddset(&asked, SIGTERM);
  sigprocmask(SIG_BLOCK, &asked, nullptr);
  signals_ = UniqueFd(signalfd(-1, &asked, SFD_CLOEXEC | SFD_NONBLOCK));
  RETURN_IF_ERROR(log_.Sync());
  note_unsynced_ = false;
  syncer_ = std::make_unique<Syncer>(log_.fd());
  next_tick_ = clock_->Awake() + kTick;
  return absl::OkStatus();
}

absl::Status Relay::ForkGuard() {
  Pipe in;
  if (spec_.stdin_mode == StdinMode::kPipe) {
    ASSIGN_OR_RETURN(in, MakePipe());
    SetNonblocking(in.write.get());
  } else {
    in.read = UniqueFd(open("/dev/null", O_RDONLY | O_CLOEXEC));
  }
  ASSIGN_OR_RETURN(Pipe out, MakePipe());
  ASSIGN_OR_RETURN(Pipe err, MakePipe());
  fcntl(out.write.get(), F_SETPIPE_SZ, kPipeBytes);
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return absl::ErrnoToStatus(errno, "make the guard's socket");
  }
  UniqueFd ours(ends[0]);
  UniqueFd guards(ends[1]);
  guard_pid_ = fork();
  if (guard_pid_ < 0) return absl::ErrnoToStatus(errno, "fork the guard");
  if (guard_pid_ == 0) {
    ours.Reset();
    in.write.Reset();
    out.read.Reset();
    err.read.Reset();
    RunGuard(spec_,
             {in.read.Release(), out.write.Release(), err.write.Release()},
             std::move(guards));
  }
  stdin_ = StdinQueue(std::move(in.write));
  out_.fd = std::move(out.read);
  err_.fd = std::move(err.read);
  guard_ = std::move(ours);
  SetNonblocking(out_.fd.get());
  SetNonblocking(err_.fd.get());
  SetNonblocking(guard_.get());
  return absl::OkStatus();
}

void Relay::Run() {
  do {
    while (!gone_ || WaitsForDisk()) Poll();
    ReadAll(out_);
    ReadAll(err_);
    Commit();
  } while (WaitsForDisk());
  Finish();
}

bool Relay::WaitsForDisk() const {
  return log_.pending() > 0 && reason_.empty();
}

Tip Relay::tip() const { return {log_.next_number() - 1, log_.offset()}; }

void Relay::Poll() {
  // On a full disk the agent has to wait, because its output could not be
  // recorded.
  const bool reading = log_.pending() == 0;
  const absl::Time before = clock_->Awake();
  const auto output_fd = [&](const Output& output) {
    const bool paused = output.pacer.paused_until(before).has_value();
    return reading && !paused ? output.fd.get() : -1;
  };
  enum { kOut, kErr, kIn, kGuard, kSignals, kFirstConnection };
  std::vector<pollfd> fds = {
      {.fd = output_fd(out_), .events = POLLIN},
      {.fd = output_fd(err_), .events = POLLIN},
      {.fd = reading ? stdin_.poll_fd() : -1, .events = POLLOUT},
      {.fd = guard_.get(), .events = POLLIN},
      {.fd = signals_.get(), .events = POLLIN}};
  connections_->AddPollFds(&fds);
  poll(fds.data(), fds.size(), PollTimeout(NextDue(before) - before));
  FollowRealTime();
  if (fds[kOut].revents != 0) Read(out_);
  if (fds[kErr].revents != 0) Read(err_);
  if (fds[kIn].revents != 0) OnStdinLost(stdin_.Write());
  if (fds[kGuard].revents != 0) ReadGuard();
  if (fds[kSignals].revents != 0) {
    signalfd_siginfo info;
    (void)!read(signals_.get(), &info, sizeof(info));
    StopFor(
        absl::StrCat("the relay was asked to end, by process ", info.ssi_pid));
  }
  Commit();
  const absl::Time now = clock_->Awake();
  connections_->OnPolled(&fds[kFirstConnection], now);
  Commit();
  OnTick(now);
}

void Relay::FollowRealTime() {
  const absl::Duration leap = clock_->FollowRealTime();
  if (leap == absl::ZeroDuration()) return;
  // Readers subtract the leap to know how long the agent was awake.
  AppendNote(
      NoteText("clock").Int("leap_us", absl::ToInt64Microseconds(leap)).Take());
}

absl::Time Relay::NextDue(absl::Time now) const {
  absl::Time due = std::min(next_tick_, connections_->deadline());
  if (log_.pending() > 0) due = std::min(due, now + kRetry);
  for (const Output* output : {&out_, &err_}) {
    if (const auto until = output->pacer.paused_until(now)) {
      due = std::min(due, *until);
    }
  }
  if (killing_) due = std::min(due, now + kKillAgain);
  return due;
}

void Relay::Read(Output& output) {
  const ssize_t n = read(output.fd.get(), buffer_.data(), buffer_.size());
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n <= 0) {
    output.fd.Reset();
    if (!capped_) output.lines.Finish();
    return;
  }
  last_active_ = clock_->Awake();
  output.pacer.OnRead(static_cast<size_t>(n), *last_active_);
  const absl::string_view bytes(buffer_.data(), static_cast<size_t>(n));
  if (&output == &err_) {
    err_tail_.append(bytes.data(), bytes.size());
    if (err_tail_.size() > 2 * kErrTail) {
      err_tail_.erase(0, err_tail_.size() - kErrTail);
    }
  }
  if (!capped_ && log_.offset() + n > spec_.max_log_bytes) {
    capped_ = true;
    out_.lines.Finish();
    err_.lines.Finish();
    reason_ = absl::StrCat("the log has reached its cap of ",
                           spec_.max_log_bytes, " bytes");
    SendToGuard({.kind = GuardCommand::Kind::kKill});
  }
  if (capped_) {
    discarded_ += n;
  } else {
    output.lines.Feed(bytes);
  }
}

// Reads the output that is left in the pipe. The deadline keeps a process that
// still writes to it from holding us up.
void Relay::ReadAll(Output& output) {
  const absl::Time deadline = clock_->Awake() + kTick;
  while (output.fd.ok() && log_.pending() == 0 && clock_->Awake() < deadline) {
    pollfd fd = {.fd = output.fd.get(), .events = POLLIN};
    if (poll(&fd, 1, 0) <= 0) break;
    Read(output);
    Commit();
  }
  if (!output.fd.ok() || WaitsForDisk()) return;
  int left = 0;
  if (ioctl(output.fd.get(), FIONREAD, &left) == 0) discarded_ += left;
  if (!capped_) output.lines.Finish();
  output.fd.Reset();
}

void Relay::OnStdinLost(size_t lost) {
  if (lost > 0) {
    AppendNote(
        NoteText("stdin_lost").Int("bytes", static_cast<int64_t>(lost)).Take());
  }
}

void Relay::AppendNote(absl::string_view text, absl::string_view key) {
  log_.Append({.key = key, .payload = text});
  note_unsynced_ = true;
}

void Relay::Commit() {
  if (log_.pending() == 0) return;
  const absl::Status flushed = log_.Flush();
  const std::string news = disk_.OnWrite(flushed, clock_->Awake());
  if (!news.empty()) {
    if (flushed.ok()) {
      // The log keeps the trouble forever; on the socket it is over.
      AppendNote(NoteText("trouble").String("text", news).Take());
      log_.Flush().IgnoreError();
    }
    connections_->SendTrouble(flushed.ok() ? "" : news);
  }
  dirty_ = true;
  if (!flushed.ok()) return;
  connections_->SendTip();
  // Only notes are synced at once; output is synced at the next tick.
  if (std::exchange(note_unsynced_, false)) syncer_->Request();
}

void Relay::OnTick(absl::Time now) {
  if (killing_) KillAll();
  const std::optional<absl::Time> failing = disk_.failing_since();
  if (failing && now - *failing > spec_.disk_full_wait) {
    StopFor(absl::StrCat("the log could not be written for ",
                         absl::ToDoubleSeconds(spec_.disk_full_wait), " s"));
  }
  if (now < next_tick_) return;
  next_tick_ = now + kTick;
  const std::string trouble = disk_.Inspect(log_);
  if (!trouble.empty()) {
    connections_->SendTrouble(trouble);
    StopFor(trouble);
  }
  if (log_.pending() == 0) {
    CloseUndriven(now);
    out_.lines.FlushPart();
    err_.lines.FlushPart();
    Commit();
  }
  if (std::exchange(dirty_, false)) syncer_->Request();
}

void Relay::CloseUndriven(absl::Time now) {
  if (connections_->driven() || !last_active_) last_active_ = now;
  if (!stdin_.open() || now - *last_active_ < spec_.undriven) return;
  AppendNote(NoteText("stdin_closed").Take());
  stdin_.Close();
}

void Relay::SendToGuard(const GuardCommand& command) {
  if (guard_.ok()) send(guard_.get(), &command, sizeof(command), MSG_NOSIGNAL);
}

void Relay::StopFor(absl::string_view reason) {
  if (!reason_.empty()) return;
  reason_ = std::string(reason);
  SendToGuard({.kind = GuardCommand::Kind::kStop, .grace = spec_.grace});
}

void Relay::ReadGuard() {
  std::string packet(kMaxGuardPacket, '\0');
  while (guard_.ok()) {
    const ssize_t n = recv(guard_.get(), packet.data(), packet.size(), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) return OnGuardDied();
    OnReport(DecodeReport(packet.substr(0, static_cast<size_t>(n))));
  }
}

void Relay::OnReport(const GuardReport& report) {
  switch (report.kind) {
    case GuardReport::Kind::kStarted:
      agent_pid_ = report.pid;
      return;
    case GuardReport::Kind::kStartFailed:
      start_failed_ = true;
      return AppendNote(
          NoteText("start_failed").String("error", report.text).Take());
    case GuardReport::Kind::kSignalled:
      return AppendNote(
          NoteText("signalled").Int("signal", report.signal).Take());
    case GuardReport::Kind::kExited:
      exited_ = report;
      return OnStdinLost(stdin_.Drop());
    case GuardReport::Kind::kLeftover:
      return AppendNote(
          NoteText("leftover").Strings("processes", report.names).Take());
    case GuardReport::Kind::kGone:
      gone_ = true;
      guard_.Reset();
      return;
  }
}

void Relay::OnGuardDied() {
  guard_.Reset();
  if (gone_) return;
  reason_ = "the guard was killed, and the agent was ended with it";
  killing_ = true;
  give_up_ = clock_->Awake() + kGiveUp;
}

void Relay::KillAll() {
  const std::vector<ProcessInfo> left = KillDescendants();
  if (!left.empty() && clock_->Awake() > give_up_) {
    std::vector<std::string> names;
    for (const ProcessInfo& process : left) names.push_back(process.name);
    AppendNote(NoteText("leftover").Strings("processes", names).Take());
    gone_ = true;
    return;
  }
  while (true) {
    int status = 0;
    rusage used = {};
    const pid_t pid = wait4(-1, &status, WNOHANG, &used);
    if (pid < 0 && errno == ECHILD) gone_ = true;
    if (pid <= 0) return;
    if (pid == agent_pid_) exited_ = ExitReport(status, used);
  }
}

std::string Relay::ExitedNote() {
  NoteText note("exited");
  if (exited_) {
    const int status = exited_->status;
    if (WIFSIGNALED(status)) {
      note.Int("signal", WTERMSIG(status));
    } else {
      note.Int("code", WEXITSTATUS(status));
    }
  }
  note.String("reason", reason_);
  if (exited_) {
    note.Int("utime_us", absl::ToInt64Microseconds(exited_->user_time))
        .Int("stime_us", absl::ToInt64Microseconds(exited_->system_time))
        .Int("max_rss_kb", exited_->max_rss_kb);
  }
  if (discarded_ > 0) note.Int("discarded_bytes", discarded_);
  absl::string_view tail = err_tail_;
  if (tail.size() > kErrTail) tail.remove_prefix(tail.size() - kErrTail);
  return note.String("stderr_tail", tail).Take();
}

void Relay::Finish() {
  if (log_.pending() > 0) {
    discarded_ += log_.DropPending(kMaxRest);
    disk_.UseReserve();
  }
  if (!start_failed_) AppendNote(ExitedNote());
  const absl::Status written = log_.Flush();
  syncer_.reset();
  const absl::Status synced = log_.Sync();
  if (!written.ok() || !synced.ok()) {
    connections_->SendTrouble(
        absl::StrCat("the log's last record is lost: ",
                     (written.ok() ? synced : written).message()));
  }
  connections_->SendTip();
  unlinkat(dir_fd_, kSocketName, 0);
}

}  // namespace troika::relay
