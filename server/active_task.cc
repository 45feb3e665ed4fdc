#include "server/active_task.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "server/secrets.h"

namespace troika {
namespace {

// Events are dropped if the disk has not taken this many bytes of them.
constexpr size_t kMaxPending = size_t{8} << 20;
constexpr absl::Duration kDiskRetry = absl::Seconds(1);
// How long a relay may take to log a command.
constexpr absl::Duration kCommandPatience = absl::Seconds(20);
// How long a log may take to be read.
constexpr absl::Duration kLoadPatience = absl::Minutes(1);
// Bytes of the log that one step reads. Tiny lines cost the most: 64 KiB of
// them take some milliseconds, and a MiB held the loop for 70.
constexpr int64_t kMaxRead = int64_t{64} << 10;

}  // namespace

absl::StatusOr<std::unique_ptr<ActiveTask>> ActiveTask::Open(
    TaskFolder folder, std::shared_ptr<TaskStream> stream,
    std::optional<Cli> cli, const TaskTools* tools, Owner* owner) {
  std::unique_ptr<ActiveTask> task(
      new ActiveTask(std::move(stream), tools, owner));
  task->cli_ = std::move(cli);
  RunnerTools runner_tools = {.clock = tools->clock,
                              .relay_program = tools->relay_program,
                              .version_cache = tools->home->version_cache(),
                              .max_read = kMaxRead};
  runner_tools.find_cli = [self = task.get()](const Backend&,
                                              const Environment&) {
    return std::exchange(self->cli_, std::nullopt);
  };
  runner_tools.executor = [self = task.get(), pool = tools->pool,
                           alive = std::weak_ptr<bool>(task->alive_)](
                              absl::AnyInvocable<void()> work,
                              absl::AnyInvocable<void()> done) {
    pool->Run(std::move(work), [self, alive, done = std::move(done)]() mutable {
      done();
      if (!alive.expired()) self->Advance();
    });
  };
  ASSIGN_OR_RETURN(task->runner_,
                   Runner::Open(std::move(folder), std::move(runner_tools)));
  task->timer_ =
      tools->loop->NewTimer([self = task.get()] { self->Advance(); });
  return task;
}

void ActiveTask::Begin() { Advance(); }

void ActiveTask::Start(absl::StatusOr<Cli> cli) {
  cli_ = std::move(cli);
  wants_start_told_ = false;
  Advance();
}

void ActiveTask::Ask(Command command, Done done) {
  if (!failure_.ok()) return done(failure_);
  commands_.push_back({.command = std::move(command),
                       .done = std::move(done),
                       .deadline = tools_.clock->Awake() + kLoadPatience});
  if (!advancing_) Advance();
}

bool ActiveTask::at_rest() const {
  return !failure_.ok() ||
         (runner_->at_rest() && runner_->settled() && commands_.empty());
}

void ActiveTask::Advance() {
  if (!failure_.ok()) return;
  advancing_ = true;
  timer_->Cancel();
  const int64_t before = state().last_record;
  const bool was_caught_up = caught_up();
  failure_ = runner_->Advance([&](Message&& m) { AddEvent(m); });
  RunCommands();
  // A log that can't be read any further has no more to come, either.
  if (caught_up() || !failure_.ok()) stream_->set_caught_up();
  // Viewers get the events before the file does.
  stream_->Notify();
  // Wait() has this tried again if it fails, and readers wait for it.
  stream_->file().Flush().IgnoreError();
  FinishCommands();
  advancing_ = false;
  if (failure_.ok()) Wait();
  // A turn that was withdrawn leaves its CLI unused.
  if (caught_up() && state().turns_waiting == 0) cli_.reset();
  const bool wants = runner_->waits_for_start() && caught_up();
  if (!wants) wants_start_told_ = false;
  if (state().last_record != before || caught_up() != was_caught_up ||
      !failure_.ok()) {
    owner_.OnChanged(*this);
  }
  if (wants && !std::exchange(wants_start_told_, true)) {
    return owner_.OnWantsStart(*this);
  }
  if (events_dropped_ && stream_->file().pending_bytes() == 0) {
    owner_.OnEventsDropped(*this);
  }
  if (at_rest()) owner_.OnRest(*this);
}

void ActiveTask::AddEvent(const Message& message) {
  // The runner goes on whatever becomes of the events: they are only a cache.
  if (stream_->file().pending_bytes() >= kMaxPending) events_dropped_ = true;
  if (!events_dropped_) events_.Add(message, redactor());
}

void ActiveTask::RunCommands() {
  if (!caught_up() || !failure_.ok()) return;
  bool ran = false;
  for (size_t i = 0; i < commands_.size(); ++i) {
    if (!commands_[i].command) continue;
    Command command = std::exchange(commands_[i].command, nullptr);
    const absl::Status done = command(*runner_);
    ran = true;
    commands_[i].deadline = tools_.clock->Awake() + kCommandPatience;
    if (done.ok()) continue;
    Done refused = std::move(commands_[i].done);
    commands_.erase(commands_.begin() + static_cast<ptrdiff_t>(i--));
    refused(done);
  }
  // Commands may have been written at once: the log is read again.
  if (ran) failure_ = runner_->Advance([&](Message&& m) { AddEvent(m); });
}

void ActiveTask::FinishCommands() {
  if (commands_.empty()) return;
  const absl::Time now = tools_.clock->Awake();
  const bool settled = runner_->settled() && caught_up();
  std::vector<std::pair<Done, absl::Status>> finished;
  for (size_t i = 0; i < commands_.size(); ++i) {
    PendingCommand& command = commands_[i];
    absl::Status status = failure_;
    if (status.ok() && (command.command || !settled)) {
      if (now < command.deadline) continue;
      status = absl::UnavailableError(absl::StrCat(
          "task ", id(),
          command.command
              ? " is still being read from its log: try again in a moment"
              : " has not taken this yet: see what becomes of it before you "
                "try again"));
    }
    finished.emplace_back(std::move(command.done), std::move(status));
    commands_.erase(commands_.begin() + static_cast<ptrdiff_t>(i--));
  }
  for (auto& [done, status] : finished) done(status);
}

void ActiveTask::Watch() {
  const std::vector<pollfd> fds = runner_->PollFds();
  const bool same =
      runner_->connections() == watched_.connections &&
      std::equal(fds.begin(), fds.end(), watched_.fds.begin(),
                 watched_.fds.end(), [](const pollfd& a, const pollfd& b) {
                   return a.fd == b.fd && a.events == b.events;
                 });
  if (same) return;
  watched_ = {.fds = fds, .connections = runner_->connections()};
  for (const pollfd& fd : fds) {
    if (fd.fd < 0) continue;
    watched_.watches.push_back(
        tools_.loop->WatchFd(fd.fd, fd.events, [this](short) { Advance(); }));
  }
}

void ActiveTask::Wait() {
  Watch();
  const absl::Time now = tools_.clock->Awake();
  absl::Time wake_at = runner_->wake_at();
  for (const PendingCommand& command : commands_) {
    wake_at = std::min(wake_at, command.deadline);
  }
  if (stream_->file().pending_bytes() > 0) {
    wake_at = std::min(wake_at, now + kDiskRetry);
  }
  if (wake_at != absl::InfiniteFuture()) timer_->SetIn(wake_at - now);
}

TaskReading ActiveTask::Reading() const {
  const EventId& last = stream_->file().last();
  return {.state = &state(),
          .request = request(),
          .last_event_id = last == kBeforeAll ? "" : EventIdText(last),
          .trouble = failure_.ok() ? runner_->trouble()
                                   : std::string(failure_.message()),
          .log_bytes = log_bytes()};
}

v1::Task ActiveTask::Describe() const {
  v1::Task task = DescribeTask(Reading(), redactor());
  task.set_id(id());
  if (!failure_.ok() && !MayPass(failure_)) {
    task.set_state(v1::Task::failed);
    task.set_reason(std::string(failure_.message()));
  }
  return task;
}

TaskRow ActiveTask::Row(const v1::Task& task) const {
  TaskRow row = RowOf(Reading(), task);
  if (MayPass(failure_)) return TroubledRow(std::move(row), failure_.message());
  if (!failure_.ok()) row.ended = true;
  return row;
}

void ActiveTask::Finish() {
  if (caught_up() && !events_dropped_) {
    stream_->file().AddLogBytes(log_bytes());
  }
  stream_->file().Flush().IgnoreError();
}

const Redactor& ActiveTask::redactor() const {
  const bool has_request = request() != nullptr;
  if (!redactor_ || (has_request && !redactor_->include_request)) {
    redactor_.emplace(
        TaskRedactor{Redactor(TaskSecrets(folder(), request())), has_request});
  }
  return redactor_->redactor;
}

}  // namespace troika
