// How tasks are found, opened and closed.
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "dto/proto_json.h"
#include "server/row.h"
#include "server/tasks.h"

namespace troika {
namespace {

constexpr absl::Duration kRowDelay = absl::Milliseconds(250);
// Tasks that are opened in one round of the loop.
constexpr int kOpenAtOnce = 2;

}  // namespace

void Tasks::Begin() {
  tools_.index->SetOnLost([this] { loader_.Begin(); });
  loader_.Begin();
  tools_.index->Check();
  EmptyTrash();
}

void Tasks::OnProgress() {
  const auto call_all = [](std::vector<absl::AnyInvocable<void()>>* calls) {
    for (auto& call : std::exchange(*calls, {})) call();
  };
  if (loader_.open_tasks_known()) call_all(&when_open_known_);
  if (loader_.listed()) call_all(&when_listed_);
  if (loader_.live_tasks_known()) call_all(&when_live_known_);
  StartSome();
  if (!loader_.done()) return;
  newer_.clear();
  if (retain_) retention_.Run(*std::exchange(retain_, std::nullopt));
}

bool Tasks::IsNewer(const std::string& id) const {
  return ActiveOf(id) != nullptr || newer_.count(id) > 0 ||
         deleting_.count(id) > 0;
}

void Tasks::OnLoaded(std::vector<LoadedTask> tasks) {
  std::vector<std::string> alive;
  for (LoadedTask& task : tasks) {
    if (IsNewer(task.id)) continue;
    switch (task.kind) {
      case LoadedTask::Kind::kWaiting:
        queue_.Add(task.id, task.row.harness, task.asked_us);
        TellPositionsSoon();
        [[fallthrough]];
      case LoadedTask::Kind::kEnded:
        troubles_.erase(task.id);
        tools_.changes->Add(task.id, task.row.task_json);
        tools_.index->Put({std::move(task.row)});
        break;
      case LoadedTask::Kind::kAlive:
        troubles_.erase(task.id);
        alive.push_back(std::move(task.id));
        break;
      case LoadedTask::Kind::kLost:
        PutLost(task.id, task.error.message());
        break;
      case LoadedTask::Kind::kUnreadable:
        PutTrouble(task.id, task.error);
        break;
    }
  }
  OnAlive(std::move(alive));
  StartSome();
}

void Tasks::OnAlive(std::vector<std::string> ids) {
  for (std::string& id : ids) {
    if (IsNewer(id)) continue;
    unsettled_.insert(id);
    to_open_.push_back(std::move(id));
  }
  OpenSome();
}

void Tasks::OpenSome() {
  for (int i = 0; i < kOpenAtOnce && !to_open_.empty(); ++i) {
    const std::string id = std::move(to_open_.front());
    to_open_.pop_front();
    const auto task = Activate(id);
    if (task.ok()) continue;
    if (MayPass(task.status())) {
      RetryLater(id, task.status());
    } else {
      PutLost(id, task.status().message());
    }
    Settle(id);
  }
  if (to_open_.empty() || std::exchange(opening_some_, true)) return;
  tools_.loop->Post([this] {
    opening_some_ = false;
    OpenSome();
  });
}

void Tasks::OnRemoved(std::vector<std::string> ids) {
  for (const std::string& id : ids) {
    if (!IsNewer(id)) Forget(id);
  }
}

void Tasks::Settle(const std::string& id) {
  if (unsettled_.erase(id) > 0 && unsettled_.empty()) {
    tools_.loop->Post([this] { StartSome(); });
  }
}

ActiveTask* Tasks::ActiveOf(absl::string_view id) const {
  const auto it = open_.find(id);
  return it == open_.end() ? nullptr : it->second.task.get();
}

absl::StatusOr<std::shared_ptr<TaskStream>> Tasks::OpenStream(
    const std::string& id, const TaskFolder& folder) {
  std::weak_ptr<TaskStream>& known = streams_[id];
  if (std::shared_ptr<TaskStream> stream = known.lock()) return stream;
  ASSIGN_OR_RETURN(std::unique_ptr<EventFile> file,
                   EventFile::Open(folder.fd.get(), id));
  auto stream = std::make_shared<TaskStream>(id, std::move(file));
  known = stream;
  return stream;
}

void Tasks::Stream(const std::string& id, Streamed streamed) {
  if (const ActiveTask* task = ActiveOf(id)) {
    task->stream()->SetTask(ToJson(*GetOpen(id)));
    return streamed(task->stream());
  }
  const auto folder = tools_.home->OpenTask(id);
  if (!folder.ok()) return streamed(folder.status());
  auto stream = OpenStream(id, *folder);
  if (!stream.ok()) return streamed(stream.status());
  if ((*stream)->file().log_bytes() != LogBytes(*tools_.home, id)) {
    const auto task = Activate(id);
    if (!task.ok()) return streamed(task.status());
    if ((*task)->caught_up()) (*stream)->SetTask(ToJson(*GetOpen(id)));
    return streamed(*std::move(stream));
  }
  (*stream)->set_caught_up();
  Get(id, [stream = *std::move(stream), streamed = std::move(streamed)](
              const absl::StatusOr<v1::Task>& task) mutable {
    if (!task.ok()) return streamed(task.status());
    stream->SetTask(ToJson(*task));
    streamed(std::move(stream));
  });
}

absl::StatusOr<ActiveTask*> Tasks::Activate(const std::string& id) {
  if (ActiveTask* task = ActiveOf(id)) return task;
  if (deleting_.count(id) > 0) {
    return absl::NotFoundError(absl::StrCat("task ", id, " is being deleted"));
  }
  ASSIGN_OR_RETURN(TaskFolder folder, tools_.home->OpenTask(id));
  ASSIGN_OR_RETURN(std::shared_ptr<TaskStream> stream, OpenStream(id, folder));
  ASSIGN_OR_RETURN(
      std::unique_ptr<ActiveTask> task,
      ActiveTask::Open(std::move(folder), std::move(stream),
                       {.loop = tools_.loop,
                        .pool = tools_.pool,
                        .clock = tools_.clock,
                        .owner = this,
                        .relay_program = tools_.relay_program,
                        .version_cache = tools_.home->version_cache()}));
  ActiveTask* const opened = task.get();
  open_[id].task = std::move(task);
  if (!loader_.done()) newer_.insert(id);
  opened->Begin();
  return opened;
}

void Tasks::OnChanged(ActiveTask& task) {
  Open& open = open_.find(task.id())->second;
  if (!task.caught_up() && task.failure().ok()) return;
  CountIn(task);
  Settle(task.id());
  open.row_is_old = true;
  if (TaskStatusId(task.state().status) != open.shown_status) {
    return PutRow(open);
  }
  old_rows_.insert(task.id());
  if (!std::exchange(row_timer_is_set_, true)) row_timer_->SetIn(kRowDelay);
}

void Tasks::CloseIdle() {
  while (static_cast<int>(idle_.size()) > options_.limits.running) {
    auto oldest = idle_.begin();
    for (auto it = idle_.begin(); it != idle_.end(); ++it) {
      if (it->second < oldest->second) oldest = it;
    }
    const std::string id = oldest->first;
    idle_.erase(oldest);
    // The task stays, and the next turn has a new process.
    if (ActiveTask* const task = ActiveOf(id)) {
      task->Ask([](Runner& runner) { return runner.CloseInput(); },
                [](const absl::Status&) {});
    }
  }
}

void Tasks::OnRest(ActiveTask& task) { CloseSoon(task.id()); }

// The log is read again from its start, and the events that are missing are
// added.
void Tasks::OnEventsDropped(ActiveTask& task) {
  tools_.loop->Post([this, id = task.id()] {
    const auto it = open_.find(id);
    if (it == open_.end() || it->second.task->has_commands() ||
        !it->second.task->runner().settled()) {
      return;
    }
    open_.erase(it);
    const auto opened = Activate(id);
    if (opened.ok()) return;
    RetryLater(id, opened.status());
  });
}

void Tasks::CloseSoon(const std::string& id) {
  Open& open = open_.find(id)->second;
  if (std::exchange(open.closing, true)) return;
  tools_.loop->Post([this, id] { Close(id); });
}

void Tasks::Close(const std::string& id) {
  const auto it = open_.find(id);
  if (it == open_.end()) return;
  it->second.closing = false;
  ActiveTask& task = *it->second.task;
  const bool parked = queue_.IsWaiting(id) && !task.has_commands();
  if (!task.at_rest() && !parked) return;
  task.Finish();
  PutRow(it->second);
  // One that can't be read now may live, or wait.
  if (MayPass(task.failure())) RetryLater(id, task.failure());
  old_rows_.erase(id);
  idle_.erase(id);
  found_clis_.erase(id);
  Settle(id);
  open_.erase(it);
}

}  // namespace troika
