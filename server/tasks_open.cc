// How tasks are found, opened, started and closed.
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "agent/registry.h"
#include "base/status_macros.h"
#include "dto/proto_json.h"
#include "relay/log_format.h"
#include "server/tasks.h"
#include "task/make.h"

namespace troika {
namespace {

// At once, as each has files open.
constexpr size_t kMaxLoading = 32;
constexpr absl::Duration kRowDelay = absl::Milliseconds(250);
constexpr absl::Duration kRetry = absl::Seconds(1);

// -1: there is none.
int64_t LogBytes(const Home& home, absl::string_view id) {
  struct stat info = {};
  const std::string path =
      absl::StrCat(home.path(), "/tasks/", id, "/", relay::kLogName);
  return stat(path.c_str(), &info) == 0 ? info.st_size : -1;
}

// What a server that was killed had begun to remove.
void RemoveTrash(const Home& home) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<fs::path> trash;
  for (const auto& entry :
       fs::directory_iterator(home.path() + "/tasks", error)) {
    if (absl::StartsWith(entry.path().filename().string(), ".gone-")) {
      trash.push_back(entry.path());
    }
  }
  for (const fs::path& path : trash) fs::remove_all(path, error);
}

}  // namespace

absl::Status Tasks::Begin() {
  RemoveTrash(*tools_.home);
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
      // Those that live are among the newest.
      to_load_.push_front(*id);
      unsettled_.insert(*id);
      rowless_.insert(*id);
      continue;
    }
    const TaskStore::Entry entry = row->second;
    rows.erase(row);
    const bool fresh = entry.parser_version == kParserVersion &&
                       entry.log_bytes == LogBytes(*tools_.home, *id);
    if (fresh && entry.ended) continue;
    if (fresh && entry.state == v1::Task::State_Name(v1::Task::queued)) {
      ASSIGN_OR_RETURN(const auto whole, tools_.store->Get(*id));
      // When a later turn was asked for, only the log says.
      if (whole && whole->started_us == 0) {
        queue_.Add(*id, whole->harness, whole->created_us);
        continue;
      }
    }
    if (entry.ended) {
      to_load_.push_back(*id);
    } else {
      // It may live: nobody waits for the others before it.
      to_load_.push_front(*id);
      unsettled_.insert(*id);
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
  load_is_posted_ = false;
  // Most are read at once and only closed by the loop: what this call opened
  // counts, too.
  size_t opened = 0;
  while (loading_.size() < kMaxLoading && opened < kMaxLoading &&
         !to_load_.empty()) {
    ++opened;
    const std::string id = std::move(to_load_.front());
    to_load_.pop_front();
    if (ActiveOf(id) != nullptr) continue;
    loading_.insert(id);
    const auto task = Activate(id);
    if (absl::IsResourceExhausted(task.status())) {
      loading_.erase(id);
      to_load_.push_front(id);
      return retry_timer_->SetIn(kRetry);
    }
    if (!task.ok()) {
      loading_.erase(id);
      PutLost(id, task.status().message());
      Settle(id);
    }
  }
  if (loading_.size() < kMaxLoading) LoadSoon();
}

void Tasks::LoadSoon() {
  if (to_load_.empty() || std::exchange(load_is_posted_, true)) return;
  tools_.loop->Post([this] { LoadMore(); });
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
  if (const ActiveTask* task = ActiveOf(id)) {
    task->stream()->SetTask(ToJson(*Get(id)));
    return task->stream();
  }
  ASSIGN_OR_RETURN(const TaskFolder folder, tools_.home->OpenTask(id));
  ASSIGN_OR_RETURN(std::shared_ptr<TaskStream> stream, OpenStream(id, folder));
  if (stream->file().log_bytes() != LogBytes(*tools_.home, id)) {
    ASSIGN_OR_RETURN(const ActiveTask* const task, Activate(id));
    if (task->caught_up()) stream->SetTask(ToJson(task->Describe()));
    return stream;
  }
  stream->set_caught_up();
  ASSIGN_OR_RETURN(const v1::Task task, Get(id));
  stream->SetTask(ToJson(task));
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
  CountIn(task);
  Settle(task.id());
  open.row_is_old = true;
  old_rows_.insert(task.id());
  const std::string status(TaskStatusId(task.state().status));
  FlushSoon(status == open.shown_status ? kRowDelay : absl::ZeroDuration());
}

void Tasks::CountIn(const ActiveTask& task) {
  const TaskState& state = task.state();
  const bool lives = task.failure().ok() && state.process_alive;
  if (!lives || state.status != TaskStatus::kIdle || state.input_closed) {
    idle_.erase(task.id());
  } else if (idle_.emplace(task.id(), tools_.clock->NowMicros()).second) {
    tools_.loop->Post([this] { CloseIdle(); });
  }
  if (lives && state.status != TaskStatus::kIdle) {
    queue_.SetRunning(task.id(), HarnessId(*state.harness));
  } else if (lives || state.turns_waiting == 0 || !task.failure().ok()) {
    queue_.Remove(task.id());
    tools_.loop->Post([this] { StartSome(); });
  }
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

void Tasks::Settle(const std::string& id) {
  if (loading_.erase(id) > 0) LoadSoon();
  rowless_.erase(id);
  if (unsettled_.erase(id) > 0 && unsettled_.empty()) {
    tools_.loop->Post([this] { StartSome(); });
  }
}

bool Tasks::IsLoading(const std::string& id) const {
  return loading_.count(id) > 0 ||
         std::find(to_load_.begin(), to_load_.end(), id) != to_load_.end();
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
  if (!unsettled_.empty() || std::exchange(starting_some_, true)) return;
  while (const auto id = queue_.Next()) {
    if (ActiveTask* active = ActiveOf(*id)) {
      if (active->runner().waits_for_start()) FindCliFor(*active);
      continue;
    }
    const auto opened = Activate(*id);
    if (absl::IsResourceExhausted(opened.status())) {
      TryAgain(*id);
      break;
    }
    if (!opened.ok()) {
      queue_.Remove(*id);
      PutLost(*id, opened.status().message());
    }
  }
  starting_some_ = false;
}

void Tasks::TryAgain(const std::string& id) {
  queue_.Remove(id);
  const auto row = RowOf(id);
  if (row.ok() && *row) queue_.Add(id, (*row)->harness, (*row)->created_us);
  retry_timer_->SetIn(kRetry);
}

void Tasks::FindCliFor(ActiveTask& task) {
  if (auto found = found_clis_.extract(task.id()); !found.empty()) {
    return task.Start(std::move(found.mapped()));
  }
  auto environment = ReadEnvironment(task.folder());
  if (!environment.ok()) return task.Start(environment.status());
  Probe(*task.state().harness, *std::move(environment),
        [this, id = task.id()](absl::StatusOr<Cli> cli) {
          ActiveTask* const active = ActiveOf(id);
          if (active != nullptr && queue_.IsRunning(id)) {
            active->Start(std::move(cli));
          }
        });
}

void Tasks::Probe(Harness harness, Environment environment,
                  absl::AnyInvocable<void(absl::StatusOr<Cli>)> found) {
  auto cli = std::make_shared<absl::StatusOr<Cli>>(
      absl::InternalError("nobody looked for the CLI"));
  tools_.probe_pool->Run(
      [this, cli, harness, environment = std::move(environment)] {
        *cli = FindCliOf(BackendOf(harness), environment,
                         tools_.home->version_cache());
      },
      [cli, found = std::move(found)]() mutable { found(std::move(*cli)); });
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
  idle_.erase(id);
  Settle(id);
  open_.erase(it);
}

}  // namespace troika
