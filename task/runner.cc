#include "task/runner.h"

#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "agent/registry.h"
#include "base/read_file.h"
#include "base/status_macros.h"

namespace troika {
namespace {

// A deadline that is noticed later than that passed while the whole machine, or
// all of Troika, stood still.
constexpr absl::Duration kOverslept = absl::Seconds(5);
// What the agent then gets to say something.
constexpr absl::Duration kOversleptPatience = absl::Seconds(2);

}  // namespace

Runner::Runner(TaskFolder folder, RunnerTools tools)
    : folder_(std::move(folder)), tools_(std::move(tools)) {}

absl::StatusOr<std::unique_ptr<Runner>> Runner::Open(TaskFolder folder,
                                                     RunnerTools tools) {
  std::unique_ptr<Runner> runner(
      new Runner(std::move(folder), std::move(tools)));
  RETURN_IF_ERROR(runner->OpenFollower());
  auto environment = ReadEnvironment(runner->folder_);
  // A task that runs can be followed without it.
  if (environment.ok()) runner->environment_ = ForAgents(*environment);
  return runner;
}

absl::Status Runner::OpenFollower() {
  ASSIGN_OR_RETURN(Follower follower,
                   Follower::Open(&folder_, {.role = relay::Role::kDriver,
                                             .clock = tools_.clock,
                                             .on_record = [this] { Step(); },
                                             .max_read = tools_.max_read,
                                             .executor = &tools_.executor}));
  follower_.emplace(std::move(follower));
  return absl::OkStatus();
}

void Runner::Step() {
  if (tools_.on_step) tools_.on_step();
}

absl::Status Runner::LoadOptions() {
  if (backend_ != nullptr) return absl::OkStatus();
  const notes::Request* request = follower_->replay().request();
  if (request == nullptr) {
    return absl::DataLossError(
        absl::StrCat("task ", folder_.id, ": its log has no request"));
  }
  ASSIGN_OR_RETURN(const Backend* backend, BackendById(request->harness));
  RETURN_IF_ERROR(request->options_error);
  options_ = request->options;
  backend_ = backend;
  return absl::OkStatus();
}

absl::Status Runner::Advance(MessageSink sink) {
  appended_ = false;
  waits_for_start_ = false;
  RETURN_IF_ERROR(FinishAppend());
  RETURN_IF_ERROR(FinishLaunch());
  if (ready_.ok()) OnRelayStarted();
  RETURN_IF_ERROR(follower_->Advance(sink));
  for (const relay::Client::Answer& answer : follower_->TakeAnswers()) {
    queue_.OnAnswer(answer, tools_.clock->Awake());
  }
  if (follower_->behind()) return absl::OkStatus();
  RETURN_IF_ERROR(LoadOptions());
  // The follower may need the log's lock to say that the process is lost.
  if (follower_->connected() || state().process_alive) open_log_.Take();
  if (follower_->connected()) {
    retry_at_.reset();
    trouble_.clear();
    Watch();
    SendQueue();
    return absl::OkStatus();
  }
  queue_.OnDisconnected();
  if (state().process_alive || starts()) return absl::OkStatus();
  interrupt_until_.reset();
  answered_.clear();
  for (RelayCommand& turn : queue_.Reset()) pending_.push_back(std::move(turn));
  if (blocked() || (retry_at_ && tools_.clock->Awake() < *retry_at_)) {
    return absl::OkStatus();
  }
  retry_at_.reset();
  if (!pending_.empty()) return AppendPending();
  if (state().turns_waiting > 0) return StartProcess();
  cli_.reset();
  waited_for_start_ = false;
  open_log_.Take();  // Nobody needs its lock any more.
  return absl::OkStatus();
}

std::vector<pollfd> Runner::PollFds() const {
  std::vector<pollfd> fds = {follower_->PollFd()};
  if (ready_.ok()) fds.push_back({.fd = ready_.get(), .events = POLLIN});
  return fds;
}

absl::Time Runner::wake_at() const {
  absl::Time at =
      waits_for_start_ ? absl::InfiniteFuture() : follower_->wake_at();
  const auto sooner = [&](const std::optional<absl::Time>& other) {
    if (other) at = std::min(at, *other);
  };
  // One that passed has been seen to; only its end is waited for.
  const absl::Time alarm_at = AlarmAt(NextAlarm(state()));
  if (!watched_until_ || alarm_at > *watched_until_) sooner(alarm_at);
  sooner(overslept_until_);
  sooner(queue_.wake_at());
  sooner(interrupt_until_);
  if (!state().process_alive && !blocked()) {
    if (!pending_.empty() && !retry_at_) sooner(pending_at_);
    sooner(retry_at_);
  }
  if (appended_) sooner(tools_.clock->Awake());
  return at;
}

bool Runner::at_rest() const {
  return follower_->at_rest() && !starts() && !blocked() &&
         !queue_.HasTurns() && pending_.empty() && !appended_;
}

bool Runner::settled() const {
  return queue_.empty() && pending_.empty() && !starts();
}

pid_t Runner::relay_pid() const {
  ucred peer = {};
  socklen_t size = sizeof(peer);
  const int fd = follower_->PollFd().fd;
  if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    return 0;
  }
  return peer.pid;
}

void Runner::Send(RelayCommand command) {
  queue_.Add(std::move(command));
  if (follower_->connected()) SendQueue();
}

void Runner::SendQueue() {
  if (role() != relay::Role::kDriver) return;
  queue_.AddWanted(follower_->replay().outbox());
  queue_.Send(tools_.clock->Awake(), [&](const RelayCommand& command) {
    Step();
    follower_->Send({.type = command.type,
                     .key = command.key,
                     .payload = command.payload,
                     .grace = command.grace});
  });
}

void Runner::Watch() {
  const absl::Time now = tools_.clock->Awake();
  const std::optional<absl::Time> watched = std::exchange(watched_until_, now);
  if (overslept_until_ && now >= *overslept_until_) overslept_until_.reset();
  if (role() == relay::Role::kWatcher) {
    // Whoever drives it sees to that.
    interrupt_until_.reset();
    return;
  }
  if (state().session_mismatch && state().ending.kind == Ending::Kind::kNone) {
    Send({.type = relay::FrameType::kStop,
          .key = absl::StrCat("mismatch-", state().generation),
          .payload = notes::ToJson(notes::Stop{
              .by = "troika",
              .reason = "the agent is in another session than it was asked "
                        "for"}),
          .grace = tools_.grace});
  }
  if (!state().turn_open) interrupt_until_.reset();
  if (interrupt_until_ && now >= *interrupt_until_) {
    interrupt_until_.reset();
    Stop("troika", "the agent did not end its turn").IgnoreError();
  }
  const Alarm alarm = NextAlarm(state());
  const absl::Time alarm_at = AlarmAt(alarm);
  if (now < alarm_at) return;
  if (watched && *watched < alarm_at && now - alarm_at > kOverslept) {
    overslept_until_ = now + kOversleptPatience;
  }
  if (overslept_until_) return;
  const absl::string_view name = DeadlineName(alarm.kind);
  if (alarm.kind == Alarm::Kind::kCloseIdle) {
    return Send({.type = relay::FrameType::kCloseStdin,
                 .key = absl::StrCat("close-", state().generation)});
  }
  Send({.type = relay::FrameType::kStop,
        .key = absl::StrCat("deadline-", state().generation, "-", name),
        .payload = notes::ToJson(notes::Deadline{.which = std::string(name),
                                                 .after = alarm.timeout}),
        .grace = tools_.grace});
}

absl::Time Runner::AlarmAt(const Alarm& alarm) const {
  return follower_->relay_clock().ToOurs(alarm.at).value_or(
      absl::InfiniteFuture());
}

std::string Runner::Answer() const {
  const auto& result = state().result;
  if (!result || !result->text.empty()) return result ? result->text : "";
  const std::string& path = options_.last_message_file;
  struct stat file = {};
  if (result->is_error || path.empty() || stat(path.c_str(), &file) != 0) {
    return "";
  }
  // What stood there before is another run's.
  if (state().turn_started &&
      absl::TimeFromTimespec(file.st_mtim) < *state().turn_started) {
    return "";
  }
  return ReadFileUpTo(path, kMaxLineBytes).value_or("");
}

}  // namespace troika
