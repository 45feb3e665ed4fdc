#include "relay/relay.h"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "relay/note_text.h"

namespace troika::relay {
namespace {

constexpr absl::Duration kTick = absl::Seconds(1);
// The first records are synced by then. The first tick is sooner than others.
constexpr absl::Duration kFirstTick = absl::Milliseconds(100);
// A program is usually started by then, and small ones have said something.
constexpr absl::Duration kStartYield = absl::Milliseconds(3);
constexpr absl::Duration kRetry = absl::Milliseconds(200);

}  // namespace

Relay::Relay(RelaySpec spec, LogWriter log, int dir_fd, GuardProcess guard,
             Clock* clock)
    : spec_(std::move(spec)),
      dir_fd_(dir_fd),
      clock_(clock),
      clients_(
          clock, [this](const Command& command) { return OnCommand(command); },
          [this] { return Lend(); }),
      log_(std::move(log), dir_fd, clock, &clients_),
      agent_(std::move(guard), &log_, clock),
      output_(spec_.max_log_bytes, &log_, clock),
      stdin_(spec_.stdin_mode),
      commands_(&log_, &agent_, &stdin_) {}

absl::Status Relay::Start(int spec_fd, UniqueFd driver) {
  // From here on we would leave an agent without a word of its end.
  sigset_t asked;
  sigemptyset(&asked);
  sigaddset(&asked, SIGTERM);
  sigprocmask(SIG_BLOCK, &asked, nullptr);
  signals_ = UniqueFd(signalfd(-1, &asked, SFD_CLOEXEC | SFD_NONBLOCK));
  log_.AppendNote(spec_.spawned_note, spec_.spawned_key);
  commands_.AppendFirst(spec_.first_commands);
  RETURN_IF_ERROR(log_.WriteFirst());
  ASSIGN_OR_RETURN(GuardedAgent::Stdio stdio,
                   agent_.Start(spec_.stdin_mode, spec_fd));
  // The rest would take the processor from the agent's start.
  agent_.AwaitStart(kStartYield);
  // The rest runs while the agent starts. If it fails, we end, and then the
  // guard ends the agent.
  stdin_.SetPipe(std::move(stdio.in));
  OnStdinLost(stdin_.Write());
  output_.Open(std::move(stdio.out), std::move(stdio.err));
  next_tick_ = clock_->Awake() + kFirstTick;
  if (driver.ok()) {
    clients_.AddStarter(std::move(driver));
    // Making files takes as long as a small agent, whose first words would
    // wait for it. Only clients that are still to connect need the socket.
    PollUntil(clock_->Awake() + kStartYield);
    if (agent_.gone()) return absl::OkStatus();
  }
  RETURN_IF_ERROR(clients_.Listen(dir_fd_));
  log_.Reserve();
  // For connections. The agent keeps the limit of its starter.
  rlimit files = {};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  return absl::OkStatus();
}

void Relay::PollUntil(absl::Time end) {
  start_yield_end_ = end;
  while (!agent_.gone() && clock_->Awake() < end) Poll();
  start_yield_end_ = absl::InfiniteFuture();
}

void Relay::Run() {
  do {
    while (!agent_.gone() || WaitsForDisk()) Poll();
    output_.ReadRest();
    CheckCap();
    if (!WaitsForDisk()) output_.Close();
    log_.Commit();
  } while (WaitsForDisk());
  Finish();
}

void Relay::Poll() {
  const absl::Time before = clock_->Awake();
  enum { kIn, kGuard, kSignals, kOutput, kClients = 3 + AgentOutput::kPollFds };
  std::vector<pollfd> fds = {
      {.fd = log_.waits() ? -1 : stdin_.poll_fd(), .events = POLLOUT},
      {.fd = agent_.fd(), .events = POLLIN},
      {.fd = signals_.get(), .events = POLLIN}};
  const int timeout = PollTimeout(NextDue(before) - before);
  output_.AddPollFds(before, ReleaseLog(before), &fds);
  clients_.AddPollFds(&fds);
  poll(fds.data(), fds.size(), timeout);
  AcquireLog();
  FollowRealTime();
  output_.OnPolled(&fds[kOutput]);
  CheckCap();
  if (fds[kIn].revents != 0) OnStdinLost(stdin_.Write());
  if (fds[kGuard].revents != 0) agent_.ReadReports();
  if (agent_.ended()) OnStdinLost(stdin_.Drop());
  if (fds[kSignals].revents != 0) {
    signalfd_siginfo info;
    (void)!read(signals_.get(), &info, sizeof(info));
    StopFor(
        absl::StrCat("the relay was asked to end, by process ", info.ssi_pid));
  }
  log_.Commit();
  const absl::Time now = clock_->Awake();
  clients_.OnPolled(&fds[kClients], now);
  log_.Commit();
  OnTick(now);
}

AgentOutput::Stdout Relay::ReleaseLog(absl::Time now) {
  if (!lease_) return AgentOutput::Stdout::kOurs;
  // Other clients would not be told of what the driver records.
  const bool may_lend = lent_to_ == clients_.driver_number() &&
                        clients_.driven_alone() && !log_.waits() &&
                        !agent_.ended() && reason_.empty() &&
                        output_.CanLend(now);
  if (lease_->Release(may_lend)) clients_.SendTip(log_.tip());
  return lease_->DriverReads() ? AgentOutput::Stdout::kDrivers
                               : AgentOutput::Stdout::kOurs;
}

void Relay::AcquireLog() {
  if (!lease_) return;
  const int64_t before = log_.writer().offset();
  const std::string taken = lease_->Acquire();
  if (log_.writer().offset() != before) log_.OnDriverWrote();
  if (!taken.empty()) output_.OnTaken(taken);
}

std::vector<int> Relay::Lend() {
  if (output_.stdout_fd() < 0 || agent_.ended()) return {};
  if (!lease_) {
    auto lease = Lease::Create(spec_.max_log_bytes, output_.stdout_fd(),
                               &log_.writer(), clock_);
    if (!lease.ok()) return {};
    lease_.emplace(*std::move(lease));
  }
  lease_->Renew();
  lent_to_ = clients_.driver_number();
  return lease_->descriptors();
}

void Relay::FollowRealTime() {
  const absl::Duration leap = clock_->FollowRealTime();
  if (leap == absl::ZeroDuration()) return;
  // Readers subtract the leap to know how long the agent was awake.
  log_.AppendNote(
      NoteText("clock").Int("leap_us", absl::ToInt64Microseconds(leap)).Take());
}

absl::Time Relay::NextDue(absl::Time now) const {
  const absl::Time retry = log_.waits() ? now + kRetry : absl::InfiniteFuture();
  return std::min({next_tick_, next_kill_, start_yield_end_,
                   clients_.deadline(), output_.deadline(now), retry});
}

void Relay::CheckCap() {
  if (!output_.capped() || !reason_.empty()) return;
  reason_ = absl::StrCat("the log has reached its cap of ", spec_.max_log_bytes,
                         " bytes");
  agent_.Kill();
}

Reply Relay::OnCommand(const Command& command) {
  Reply reply = commands_.Handle(command);
  // Sooner than the reply: the agent waits, too.
  if (!log_.waits()) OnStdinLost(stdin_.Write());
  return reply;
}

void Relay::OnStdinLost(size_t lost) {
  if (lost == 0) return;
  log_.AppendNote(
      NoteText("stdin_lost").Int("bytes", static_cast<int64_t>(lost)).Take());
}

void Relay::OnTick(absl::Time now) {
  next_kill_ = agent_.KillOverdue(now);
  if (!agent_.guard_death().empty()) {
    reason_ = std::string(agent_.guard_death());
  }
  const std::optional<absl::Time> failing = log_.failing_since();
  if (failing && now - *failing > spec_.disk_full_wait) {
    StopFor(absl::StrCat("the log could not be written for ",
                         absl::ToDoubleSeconds(spec_.disk_full_wait), " s"));
  }
  if (now < next_tick_) return;
  next_tick_ = now + kTick;
  if (!log_.waits()) {
    CloseUndriven(now);
    if (lease_ && output_.CanLend(now)) lease_->CheckDriver();
    output_.FlushParts();
    log_.Commit();
  }
  const std::string trouble = log_.OnTick();
  if (!trouble.empty()) {
    clients_.SendTrouble(trouble);
    StopFor(trouble);
  }
}

void Relay::CloseUndriven(absl::Time now) {
  if (clients_.driven() || !last_driven_) last_driven_ = now;
  const absl::Time last_active =
      std::max(*last_driven_, output_.last_read().value_or(*last_driven_));
  if (!stdin_.open() || now - last_active < spec_.undriven) return;
  log_.AppendNote(NoteText("stdin_closed").Take());
  stdin_.Close();
}

void Relay::StopFor(absl::string_view reason) {
  if (!reason_.empty()) return;
  reason_ = std::string(reason);
  agent_.Stop(spec_.grace);
}

void Relay::Finish() {
  const int64_t discarded = output_.discarded() + log_.DropWaiting();
  if (!agent_.start_failed()) {
    NoteText note("exited");
    agent_.DescribeExit(reason_, &note);
    if (discarded > 0) note.Int("discarded_bytes", discarded);
    log_.AppendNote(note.String("stderr_tail", output_.err_tail()).Take());
  }
  const absl::Status written = log_.Finish();
  if (!written.ok()) {
    clients_.SendTrouble(
        absl::StrCat("the log's last record is lost: ", written.message()));
  }
  clients_.SendTip(log_.tip());
  unlinkat(dir_fd_, kSocketName, 0);
}

}  // namespace troika::relay
