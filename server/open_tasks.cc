#include "server/open_tasks.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "dto/proto_json.h"
#include "server/load_task.h"
#include "server/start_queue.h"
#include "server/task_deleter.h"
#include "server/task_loader.h"
#include "server/task_rows.h"
#include "server/task_starter.h"
#include "task/budget.h"

namespace troika {
namespace {

constexpr absl::Duration kRowDelay = absl::Milliseconds(250);
// For rows that somebody waits for, and those of new tasks. By then a process
// has started, or the agent has its prompt, and short states are over.
constexpr absl::Duration kSoon = absl::Milliseconds(20);
constexpr int kRowsAtOnce = 50;
// How often a task that runs notes what it has used in its parent's log.
constexpr absl::Duration kParentDelay = absl::Seconds(2);

}  // namespace

absl::Status NoTaskError(absl::string_view name) {
  return absl::NotFoundError(absl::StrCat(
      "no task ", name, ": `troika tasks`, or GET /api/v1/tasks, lists them"));
}

size_t IdleToClose(absl::Span<const absl::Time> idle_since, size_t max_idle,
                   absl::Time now) {
  size_t count = idle_since.size() - std::min(idle_since.size(), max_idle);
  while (count + 1 < idle_since.size() &&
         idle_since[count] + kLongIdle <= now) {
    ++count;
  }
  return count;
}

OpenTasks::OpenTasks(const TaskTools* tools, const TaskParts* parts,
                     size_t max_idle)
    : tools_(*tools),
      parts_(*parts),
      max_idle_(max_idle),
      row_timer_(tools->loop->NewTimer([this] { PutOldRows(); })),
      idle_timer_(tools->loop->NewTimer([this] { CloseIdle(); })) {}

ActiveTask* OpenTasks::Find(absl::string_view id) const {
  const auto it = open_.find(id);
  return it == open_.end() ? nullptr : it->second.task.get();
}

std::string OpenTasks::FindByRelay(pid_t pid) const {
  for (const auto& [id, entry] : open_) {
    if (entry.task->runner().relay_pid() == pid) return id;
  }
  return "";
}

absl::StatusOr<ActiveTask*> OpenTasks::Open(const std::string& id) {
  if (ActiveTask* task = Find(id)) return task;
  if (parts_.deleter->IsDeleting(id)) {
    return absl::NotFoundError(absl::StrCat("task ", id, " is being deleted"));
  }
  ASSIGN_OR_RETURN(TaskFolder folder, tools_.home->OpenTask(id));
  auto stream = streams_.Open(id, folder.fd.get());
  return Add(std::move(folder), std::move(stream));
}

absl::StatusOr<ActiveTask*> OpenTasks::Add(
    ActiveTask::Source source,
    absl::StatusOr<std::shared_ptr<TaskStream>> stream) {
  RETURN_IF_ERROR(stream.status());
  ASSIGN_OR_RETURN(
      std::unique_ptr<ActiveTask> task,
      ActiveTask::Open(std::move(source), *std::move(stream), &tools_, this));
  ActiveTask* const opened = task.get();
  open_[opened->id()].task = std::move(task);
  parts_.loader->Supersede(opened->id());
  opened->Advance();
  return opened;
}

void OpenTasks::OpenOrReport(const std::string& id) {
  const auto opened = Open(id);
  if (!opened.ok()) parts_.starter->OnUnreadable(id, opened.status());
}

void OpenTasks::StartOrReport(NewTask task) {
  const std::string id = task.made.folder.id;
  const auto opened =
      Add(std::move(task.made), streams_.Add(id, std::move(task.events)));
  if (!opened.ok()) parts_.starter->OnUnreadable(id, opened.status());
}

void OpenTasks::CloseSoon(const std::string& id) {
  if (std::exchange(open_.find(id)->second.closing, true)) return;
  tools_.loop->Post([this, id] { Close(id); });
}

void OpenTasks::Close(const std::string& id) {
  const auto it = open_.find(id);
  if (it == open_.end()) return;
  it->second.closing = false;
  ActiveTask& task = *it->second.task;
  const bool parked = parts_.queue->IsWaiting(id) && !task.has_commands();
  if (!task.at_rest() && !parked) return;
  task.Finish();
  PutRow(it->second);
  const absl::Status failure = task.failure();
  open_.erase(it);
  // A task that can't be read now may be alive, or waiting.
  if (MayPass(failure)) parts_.starter->OnUnreadable(id, failure);
}

void OpenTasks::Remove(const std::string& id) {
  streams_.Remove(id);
  open_.erase(id);
}

void OpenTasks::OnWantsStart(ActiveTask& task) {
  parts_.starter->OnWantsStart(task);
}

void OpenTasks::OnChanged(ActiveTask& task) {
  if (!task.caught_up() && task.failure().ok()) return;
  Entry& entry = open_.find(task.id())->second;
  UpdateIdle(entry);
  parts_.starter->OnRead(task);
  entry.row_is_old = true;
  const bool is_watched = tools_.changes->viewers().size() > 0 ||
                          task.stream()->viewers().size() > 0;
  PutRowsIn(HasNewStatus(entry) && (is_watched || entry.shown_status.empty())
                ? kSoon
                : kRowDelay);
}

void OpenTasks::PutRowsIn(absl::Duration delay) {
  const absl::Time at = tools_.clock->Awake() + delay;
  if (row_timer_->is_set() && rows_due_ <= at) return;
  rows_due_ = at;
  row_timer_->SetIn(delay);
}

// The log is read again from its start, and the events that are missing are
// added.
void OpenTasks::OnEventsDropped(ActiveTask& task) {
  tools_.loop->Post([this, id = task.id()] {
    const ActiveTask* const open = Find(id);
    if (open == nullptr || open->has_commands() || !open->runner().settled()) {
      return;
    }
    open_.erase(id);
    OpenOrReport(id);
  });
}

void OpenTasks::UpdateIdle(Entry& entry) {
  const TaskState& state = entry.task->state();
  if (!entry.task->failure().ok() || !state.process_alive ||
      state.status != TaskStatus::kIdle || state.input_closed ||
      !state.subagents.empty() || !state.approvals.empty() ||
      !state.questions.empty()) {
    entry.idle_since.reset();
  } else if (!entry.idle_since) {
    entry.idle_since = tools_.clock->Awake();
    tools_.loop->Post([this] { CloseIdle(); });
  }
}

void OpenTasks::CloseIdle() {
  std::vector<std::pair<absl::Time, Entry*>> idle;
  for (auto& [id, entry] : open_) {
    if (entry.idle_since) idle.emplace_back(*entry.idle_since, &entry);
  }
  std::sort(idle.begin(), idle.end());
  std::vector<absl::Time> since;
  for (const auto& [time, entry] : idle) since.push_back(time);
  const absl::Time now = tools_.clock->Awake();
  const size_t closed = IdleToClose(since, max_idle_, now);
  if (closed + 1 < idle.size()) {
    idle_timer_->SetIn(
        std::max(since[closed] + kLongIdle - now, absl::ZeroDuration()));
  }
  for (size_t i = 0; i < closed; ++i) {
    Entry& entry = *idle[i].second;
    entry.idle_since.reset();
    // The task stays, and the next turn gets a new process.
    entry.task->Ask([](Runner& runner) { return runner.CloseInput(); },
                    [](const absl::Status&) {});
  }
}

void OpenTasks::PutRow(Entry& entry) {
  if (!std::exchange(entry.row_is_old, false)) return;
  const ActiveTask& active = *entry.task;
  entry.shown_status = std::string(NameOf(active.state().status));
  v1::Task task = active.Describe();
  TaskRow row = active.Row(task);
  const std::shared_ptr<TaskStream> stream = active.stream();
  if (stream->viewers().size() > 0) {
    AddPosition(&task);
    stream->SetTask(ToJson(task));
    stream->Notify();
  }
  parts_.rows->Put(std::move(row));
  NoteForParent(entry);
}

void OpenTasks::AdvanceSoon() {
  tools_.loop->Post([this] {
    std::vector<std::string> ids;
    for (const auto& [id, entry] : open_) ids.push_back(id);
    for (const std::string& id : ids) {
      if (ActiveTask* const task = Find(id)) task->Advance();
    }
  });
}

void OpenTasks::NoteForParent(Entry& entry) {
  const TaskState& state = entry.task->state();
  if (state.parent.empty() || !entry.task->failure().ok()) return;
  const notes::SubtaskUsed used = UsedBy(state);
  const absl::Time now = tools_.clock->Awake();
  const bool ended = HasEnded(state.status);
  if (used == entry.told_parent ||
      (used.tokens == 0 && used.cost_microusd == 0) ||
      (!ended && now - entry.told_parent_at < kParentDelay)) {
    return;
  }
  // A parent that is not open has no turn that could be ended now.
  if (!ended && Find(state.parent) == nullptr) return;
  entry.told_parent = used;
  entry.told_parent_at = now;
  tools_.loop->Post([this, parent = state.parent, used] {
    Ask(
        parent, [used](Runner& runner) { return runner.NoteSubtask(used); },
        [](const absl::StatusOr<v1::Task>&) {});
  });
}

void OpenTasks::PutOldRows() {
  int put = 0;
  for (auto& [id, entry] : open_) {
    if (!entry.row_is_old) continue;
    if (++put > kRowsAtOnce) return PutRowsIn(absl::ZeroDuration());
    PutRow(entry);
  }
}

bool OpenTasks::HasNewStatus(const Entry& entry) {
  return NameOf(entry.task->state().status) != entry.shown_status;
}

void OpenTasks::PutChangedStatuses() {
  for (auto& [id, entry] : open_) {
    if (entry.row_is_old && HasNewStatus(entry)) PutRow(entry);
  }
}

void OpenTasks::PutRows() {
  for (auto& [id, entry] : open_) PutRow(entry);
}

void OpenTasks::AddPosition(v1::Task* task) const {
  if (const auto position = parts_.queue->Position(task->id())) {
    task->set_queue_position(*position);
  }
}

std::optional<v1::Task> OpenTasks::Describe(const std::string& id) const {
  const ActiveTask* const active = Find(id);
  if (active == nullptr) return std::nullopt;
  v1::Task task = active->Describe();
  AddPosition(&task);
  return task;
}

void OpenTasks::Ask(const std::string& id, ActiveTask::Command command,
                    TaskCallback done) {
  const auto task = Open(id);
  if (!task.ok()) return done(task.status());
  (*task)->Ask(std::move(command), [this, id, done = std::move(done)](
                                       const absl::Status& status) mutable {
    if (!status.ok()) return done(status);
    Get(id, std::move(done));
  });
}

void OpenTasks::Get(const std::string& id, TaskCallback done) {
  if (auto open = Describe(id)) return done(*std::move(open));
  tools_.index->Ask<std::optional<TaskRow>>(
      [id](BufferedTaskStore& store) { return store.Get(id); },
      [this, id, done = std::move(done)](
          absl::StatusOr<std::optional<TaskRow>> row) mutable {
        // It may have been opened meanwhile.
        if (auto open = Describe(id)) return done(*std::move(open));
        if (!row.ok()) return done(row.status());
        if (auto task = *row ? TaskOf(**row) : std::nullopt) {
          AddPosition(&*task);
          return done(*std::move(task));
        }
        if (parts_.loader->done() || !HasFolder(*tools_.home, id)) {
          return done(NoTaskError(id));
        }
        // A task that has no row yet is read now.
        Ask(
            id, [](Runner&) { return absl::OkStatus(); }, std::move(done));
      });
}

void OpenTasks::GetStream(const std::string& id, StreamCallback done) {
  if (const ActiveTask* task = Find(id)) {
    task->stream()->SetTask(ToJson(*Describe(id)));
    return done(task->stream());
  }
  const auto folder = tools_.home->OpenTask(id);
  if (!folder.ok()) return done(folder.status());
  auto stream = streams_.Open(id, folder->fd.get());
  if (!stream.ok()) return done(stream.status());
  if ((*stream)->file().log_bytes() != LogBytes(*tools_.home, id)) {
    const auto task = Open(id);
    if (!task.ok()) return done(task.status());
    if ((*task)->caught_up()) (*stream)->SetTask(ToJson(*Describe(id)));
    return done(*std::move(stream));
  }
  (*stream)->set_caught_up();
  Get(id, [stream = *std::move(stream), done = std::move(done)](
              const absl::StatusOr<v1::Task>& task) mutable {
    if (!task.ok()) return done(task.status());
    stream->SetTask(ToJson(*task));
    done(std::move(stream));
  });
}

}  // namespace troika
