// How tasks are found, opened, started and closed.
#include <sys/stat.h>

#include <unordered_map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "agent/discovery.h"
#include "agent/registry.h"
#include "base/status_macros.h"
#include "relay/log_format.h"
#include "server/tasks.h"

namespace troika {
namespace {

// At once, as each has files open.
constexpr size_t kMaxLoading = 32;
constexpr absl::Duration kRowDelay = absl::Milliseconds(250);

// -1: there is none.
int64_t LogBytes(const Home& home, absl::string_view id) {
  struct stat info = {};
  const std::string path =
      absl::StrCat(home.path(), "/tasks/", id, "/", relay::kLogName);
  return stat(path.c_str(), &info) == 0 ? info.st_size : -1;
}

}  // namespace

absl::Status Tasks::Begin() {
  RETURN_IF_ERROR(LoadEntries());
  LoadMore();
  StartSome();
  return absl::OkStatus();
}

absl::Status Tasks::LoadEntries() {
  ASSIGN_OR_RETURN(std::vector<TaskStore::Entry> entries,
                   tools_.store->Entries());
  std::unordered_map<std::string, TaskStore::Entry> rows;
  for (TaskStore::Entry& entry : entries) {
    std::string id = entry.id;
    rows.emplace(std::move(id), std::move(entry));
  }
  // The oldest first, as they were queued.
  std::vector<std::string> ids = tools_.home->TaskIds();
  for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
    const auto row = rows.find(*id);
    if (row == rows.end()) {
      to_load_.push_back(*id);
      continue;
    }
    const TaskStore::Entry entry = row->second;
    rows.erase(row);
    const bool fresh = entry.parser_version == kParserVersion &&
                       entry.log_bytes == LogBytes(*tools_.home, *id);
    if (fresh && entry.ended) continue;
    if (fresh && entry.state == v1::Task::State_Name(v1::Task::queued)) {
      ASSIGN_OR_RETURN(const auto whole, tools_.store->Get(*id));
      queue_.Add(*id, whole->harness, whole->created_us);
    } else if (entry.ended) {
      to_load_.push_back(*id);
    } else {
      // It may live: nobody waits for the others before it.
      to_load_.push_front(*id);
    }
  }
  for (const auto& [id, entry] : rows) {
    if (entry.ended) {
      RETURN_IF_ERROR(tools_.store->Remove(id));
    } else {
      PutLost(id, "its folder was removed");
    }
  }
  return absl::OkStatus();
}

void Tasks::LoadMore() {
  while (loading_.size() < kMaxLoading && !to_load_.empty()) {
    const std::string id = std::move(to_load_.front());
    to_load_.pop_front();
    if (ActiveOf(id) != nullptr) continue;
    loading_.insert(id);
    const auto task = Activate(id);
    if (!task.ok()) {
      loading_.erase(id);
      PutLost(id, task.status().message());
    }
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

absl::StatusOr<std::shared_ptr<TaskStream>> Tasks::Stream(
    const std::string& id) {
  if (const ActiveTask* task = ActiveOf(id)) return task->stream();
  ASSIGN_OR_RETURN(const TaskFolder folder, tools_.home->OpenTask(id));
  ASSIGN_OR_RETURN(std::shared_ptr<TaskStream> stream, OpenStream(id, folder));
  if (stream->file().log_bytes() != LogBytes(*tools_.home, id)) {
    RETURN_IF_ERROR(Activate(id).status());
    return stream;
  }
  stream->set_caught_up();
  ASSIGN_OR_RETURN(const auto row, tools_.store->Get(id));
  if (row) stream->SetTask(row->task_json);
  return stream;
}

absl::StatusOr<ActiveTask*> Tasks::Activate(const std::string& id) {
  if (ActiveTask* task = ActiveOf(id)) return task;
  ASSIGN_OR_RETURN(TaskFolder folder, tools_.home->OpenTask(id));
  ASSIGN_OR_RETURN(std::shared_ptr<TaskStream> stream, OpenStream(id, folder));
  ASSIGN_OR_RETURN(
      std::unique_ptr<ActiveTask> task,
      ActiveTask::Open(std::move(folder), std::move(stream),
                       {.loop = tools_.loop,
                        .clock = tools_.clock,
                        .owner = this,
                        .relay_program = tools_.relay_program,
                        .version_cache = tools_.home->version_cache()}));
  ActiveTask* const opened = task.get();
  open_[id].task = std::move(task);
  opened->Begin();
  return opened;
}

void Tasks::OnChanged(ActiveTask& task) {
  Open& open = open_.find(task.id())->second;
  if (!task.caught_up() && task.failure().ok()) return;
  if (loading_.erase(task.id()) > 0 && !to_load_.empty()) {
    tools_.loop->Post([this] { LoadMore(); });
  }
  CountIn(task);
  open.row_is_old = true;
  old_rows_.insert(task.id());
  const std::string status(TaskStatusId(task.state().status));
  FlushSoon(status == open.shown_status ? kRowDelay : absl::ZeroDuration());
}

void Tasks::CountIn(const ActiveTask& task) {
  const TaskState& state = task.state();
  const bool lives = task.failure().ok() && state.process_alive;
  if (lives && state.status != TaskStatus::kIdle) {
    queue_.SetRunning(task.id(), HarnessId(*state.harness));
  } else if (lives || state.turns_waiting == 0 || !task.failure().ok()) {
    queue_.Remove(task.id());
    tools_.loop->Post([this] { StartSome(); });
  }
}

void Tasks::OnWantsStart(ActiveTask& task) {
  if (queue_.IsRunning(task.id())) return FindCliFor(task);
  const TaskState& state = task.state();
  const absl::Time asked =
      state.turn_started.value_or(state.created.value_or(absl::UnixEpoch()));
  queue_.Add(task.id(), HarnessId(*state.harness), absl::ToUnixMicros(asked));
  StartSome();
  // It is opened again when its time has come.
  if (queue_.IsWaiting(task.id())) CloseSoon(task.id());
}

void Tasks::StartSome() {
  if (std::exchange(starting_some_, true)) return;
  while (const auto id = queue_.Next()) {
    if (ActiveTask* active = ActiveOf(*id)) {
      if (active->runner().waits_for_start()) FindCliFor(*active);
      continue;
    }
    const auto opened = Activate(*id);
    if (!opened.ok()) {
      queue_.Remove(*id);
      PutLost(*id, opened.status().message());
    }
  }
  starting_some_ = false;
}

void Tasks::FindCliFor(ActiveTask& task) {
  auto found = std::make_shared<absl::StatusOr<Cli>>(
      absl::InternalError("nobody looked for the CLI"));
  const Harness harness = *task.state().harness;
  auto environment = ReadEnvironment(task.folder());
  tools_.pool->Run(
      [this, found, harness, environment = std::move(environment)] {
        ProcessRunner runner;
        *found = environment.ok()
                     ? FindCli(BackendOf(harness).cli_names(), *environment,
                               {.cache_path = tools_.home->version_cache(),
                                .runner = &runner})
                     : environment.status();
      },
      [this, found, id = task.id()] {
        ActiveTask* const active = ActiveOf(id);
        if (active != nullptr && queue_.IsRunning(id)) {
          active->Start(std::move(*found));
        }
      });
}

void Tasks::OnRest(ActiveTask& task) { CloseSoon(task.id()); }

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
  old_rows_.erase(id);
  if (loading_.erase(id) > 0) tools_.loop->Post([this] { LoadMore(); });
  open_.erase(it);
}

}  // namespace troika
