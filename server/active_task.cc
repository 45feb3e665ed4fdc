#include "server/active_task.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "server/document_writer.h"
#include "server/hook_body.h"
#include "server/secrets.h"
#include "task/document.h"
#include "task/policy_judge.h"

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

ActiveTask::ActiveTask(std::shared_ptr<TaskStream> stream,
                       const TaskTools* tools, Owner* owner)
    : tools_(*tools),
      owner_(*owner),
      events_(std::move(stream)),
      timer_(tools->loop->NewTimer([this] { Advance(); })) {}

absl::StatusOr<std::unique_ptr<ActiveTask>> ActiveTask::Open(
    Source source, std::shared_ptr<TaskStream> stream, const TaskTools* tools,
    Owner* owner) {
  std::unique_ptr<ActiveTask> task(
      new ActiveTask(std::move(stream), tools, owner));
  ASSIGN_OR_RETURN(task->runner_, std::visit(
                                      [&](auto& opened) {
                                        return Runner::Open(
                                            std::move(opened),
                                            task->ToolsForRunner());
                                      },
                                      source));
  return task;
}

RunnerTools ActiveTask::ToolsForRunner() {
  RunnerTools tools = {.clock = tools_.clock,
                       .relay_program = tools_.relay_program,
                       .take_spare = [this] { return tools_.relays->Take(); },
                       .version_cache = tools_.home->version_cache(),
                       .max_read = kMaxRead};
  tools.on_read = [this] {
    if (messages_.empty() || !events_.stream->caught_up()) return;
    AddEvents();
    events_.stream->Notify();
  };
  tools.judge = [home = tools_.home](const PolicyCase& asked) {
    return JudgeApproval(*home, asked);
  };
  if (tools_.day_budget != nullptr) {
    tools.shared_budgets = [budget = tools_.day_budget] {
      return budget->Amounts();
    };
  }
  tools.executor = [this, alive = std::weak_ptr<bool>(alive_)](
                       absl::AnyInvocable<void()> work,
                       absl::AnyInvocable<void()> done) {
    tools_.pools->work.Run(std::move(work),
                           [this, alive, done = std::move(done)]() mutable {
                             done();
                             if (!alive.expired()) Advance();
                           });
  };
  return tools;
}

void ActiveTask::Start(absl::StatusOr<Cli> cli) {
  runner_->Start(std::move(cli));
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
         (runner_->at_rest() && runner_->settled() && commands_.empty() &&
          document_ != Writing::kRunning);
}

void ActiveTask::Advance() {
  if (!failure_.ok()) return;
  advancing_ = true;
  timer_->Cancel();
  const int64_t before = state().last_record;
  const bool was_caught_up = caught_up();
  failure_ = AdvanceRunner();
  RunCommands();
  // A log that can't be read any further has no more to come, either.
  if (caught_up() || !failure_.ok()) events_.stream->set_caught_up();
  // Viewers get the events before the file does.
  events_.stream->Notify();
  // Wait() has this tried again if it fails, and readers wait for it.
  events_.file().Flush().IgnoreError();
  // Before the row says that the task has ended: a server that is killed in
  // between reads the log of a task that has not.
  TellHooks();
  FinishCommands();
  WriteDocument();
  advancing_ = false;
  if (failure_.ok()) Wait();
  const bool wants = runner_->waits_for_start() && caught_up();
  if (!wants) wants_start_told_ = false;
  if (state().last_record != before || caught_up() != was_caught_up ||
      !failure_.ok()) {
    owner_.OnChanged(*this);
  }
  if (wants && !std::exchange(wants_start_told_, true)) {
    return owner_.OnWantsStart(*this);
  }
  if (events_.dropped && events_.file().pending_bytes() == 0) {
    owner_.OnEventsDropped(*this);
  }
  if (at_rest()) owner_.OnRest(*this);
}

absl::Status ActiveTask::AdvanceRunner() {
  const absl::Status advanced = runner_->Advance([this](Message&& message) {
    FindHookEvent(message);
    messages_.push_back(std::move(message));
  });
  // A process that was to be started did not wait for them.
  AddEvents();
  return advanced;
}

void ActiveTask::AddEvents() {
  for (const Message& message : messages_) AddEvent(message);
  messages_.clear();
}

void ActiveTask::AddEvent(const Message& message) {
  // The runner goes on whatever becomes of the events: they are only a cache.
  if (events_.file().pending_bytes() >= kMaxPending) events_.dropped = true;
  if (!events_.dropped) events_.writer.Add(message, redactor());
}

void ActiveTask::FindHookEvent(const Message& message) {
  if (tools_.hooks == nullptr) return;
  auto event = hook_finder_.OnMessage(message, state());
  if (event && tools_.hooks->IsNews(id(), *event)) {
    hook_events_.push_back(*std::move(event));
  }
}

bool ActiveTask::IsAskedStill(const HookEvent& event) const {
  const auto approval = state().approvals.find(event.asked);
  if (approval != state().approvals.end()) {
    return approval->second.asked == event.id && !approval->second.answered;
  }
  const auto question = state().questions.find(event.asked);
  return question != state().questions.end() &&
         question->second.asked == event.id && !question->second.answered;
}

bool ActiveTask::IsBeingJudged(const HookEvent& event) const {
  const auto approval = state().approvals.find(event.asked);
  return approval != state().approvals.end() &&
         !runner_->IsLeftToPerson(approval->second);
}

void ActiveTask::TellHooks() {
  if (hook_events_.empty() || (!caught_up() && failure_.ok())) return;
  std::vector<FoundHookEvent> found;
  while (!hook_events_.empty()) {
    const HookEvent& event = hook_events_.front();
    if (!IsQuestion(event) || IsAskedStill(event)) {
      if (IsQuestion(event) && IsBeingJudged(event) && failure_.ok()) break;
      found.push_back(
          {.at = event.id,
           .time = event.time,
           .cwd = state().cwd,
           .told = DescribeHookEvent(id(), event, state(), redactor())});
    }
    hook_events_.pop_front();
  }
  if (!found.empty()) tools_.hooks->Notice(id(), std::move(found));
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
  if (ran) failure_ = AdvanceRunner();
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

void ActiveTask::WriteDocument() {
  if (document_ != Writing::kNotYet || !failure_.ok() || !caught_up() ||
      !DocumentIsDue(state()) || runner_->role() == relay::Role::kWatcher) {
    return;
  }
  document_ = Writing::kRunning;
  tools_.pools->log.RunFor<absl::StatusOr<std::string>>(
      [home = tools_.home, id = id()] {
        return troika::WriteDocument(*home, id, absl::LocalTimeZone());
      },
      [this, alive = std::weak_ptr<bool>(alive_)](
          const absl::StatusOr<std::string>& path) {
        if (alive.expired()) return;
        document_ = Writing::kDone;
        const notes::DocumentWritten written = {
            .path = path.value_or(""),
            .error = path.ok() ? "" : std::string(path.status().message())};
        Ask([written](Runner& runner) { return runner.NoteDocument(written); },
            [](const absl::Status&) {});
      });
}

void ActiveTask::WatchFds() {
  const std::vector<pollfd> fds = runner_->PollFds();
  const bool same =
      runner_->connections() == awaited_.connections &&
      std::equal(fds.begin(), fds.end(), awaited_.fds.begin(),
                 awaited_.fds.end(), [](const pollfd& a, const pollfd& b) {
                   return a.fd == b.fd && a.events == b.events;
                 });
  if (same) return;
  awaited_ = {.fds = fds, .connections = runner_->connections()};
  for (const pollfd& fd : fds) {
    if (fd.fd < 0) continue;
    awaited_.watches.push_back(
        tools_.loop->WatchFd(fd.fd, fd.events, [this](short) { Advance(); }));
  }
}

void ActiveTask::Wait() {
  WatchFds();
  const absl::Time now = tools_.clock->Awake();
  absl::Time wake_at = runner_->wake_at();
  for (const PendingCommand& command : commands_) {
    // One that the end of another has asked for runs at once.
    const bool ready = command.command && caught_up();
    wake_at = std::min(wake_at, ready ? now : command.deadline);
  }
  if (events_.file().pending_bytes() > 0) {
    wake_at = std::min(wake_at, now + kDiskRetry);
  }
  if (wake_at != absl::InfiniteFuture()) timer_->SetIn(wake_at - now);
}

TaskReading ActiveTask::Reading() const {
  const EventId& last = events_.file().last();
  return {.state = &state(),
          .request = runner_->asked(),
          .last_event_id = last == kBeforeAll ? "" : EventIdText(last),
          .trouble = failure_.ok() ? runner_->trouble()
                                   : std::string(failure_.message()),
          .log_bytes = runner_->log_bytes()};
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
  if (caught_up() && !events_.dropped) {
    events_.file().AddLogBytes(runner_->log_bytes());
  }
  events_.file().Flush().IgnoreError();
}

const Redactor& ActiveTask::redactor() const {
  const bool has_request = runner_->asked() != nullptr;
  if (!redactor_ || (has_request && !redactor_->include_request)) {
    redactor_.emplace(TaskRedactor{
        Redactor(TaskSecrets(id(), runner_->environment(), runner_->asked())),
        has_request});
  }
  return redactor_->redactor;
}

}  // namespace troika
