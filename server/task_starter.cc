#include "server/task_starter.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "agent/registry.h"
#include "dto/proto_json.h"
#include "server/start_queue.h"
#include "server/task_loader.h"
#include "server/task_rows.h"
#include "task/budget.h"

namespace troika {
namespace {

constexpr absl::Duration kPositionDelay = absl::Milliseconds(250);
// Tasks that are opened in one round of the loop.
constexpr int kOpenAtOnce = 2;

}  // namespace

TaskStarter::TaskStarter(const TaskTools* tools, const TaskParts* parts)
    : tools_(*tools),
      parts_(*parts),
      open_timer_(tools->loop->NewTimer([this] { OpenSome(); })),
      position_timer_(tools->loop->NewTimer([this] { ShowPositions(); })) {}

void TaskStarter::Add(const LoadedTask& task) {
  parts_.queue->Add(task.id, task.row.harness, task.asked);
  ShowPositionsSoon();
}

void TaskStarter::AddNew(NewTask task, absl::string_view harness) {
  parts_.queue->Add(task.made.folder.id, harness, tools_.clock->Now());
  StartSome(&task);
}

void TaskStarter::StartNew(NewTask task, absl::string_view place) {
  parts_.queue->TakePlace(place, task.made.folder.id);
  parts_.open->StartOrReport(std::move(task));
}

bool TaskStarter::Counted() const {
  return parts_.loader->live_tasks_known() && unread_.empty();
}

void TaskStarter::WhenCounted(absl::AnyInvocable<void()> then) {
  if (Counted()) return then();
  when_counted_.push_back(std::move(then));
}

absl::Status TaskStarter::Reserve(absl::string_view place, Harness harness) {
  if (Counted()) return parts_.queue->Reserve(place, HarnessId(harness));
  return absl::UnavailableError(
      "the server is still finding out which tasks run: try again in a moment");
}

void TaskStarter::Release(absl::string_view place) {
  if (!parts_.queue->IsRunning(place)) return;
  parts_.queue->Remove(place);
  StartSome();
}

std::string TaskStarter::PlaceOf(absl::string_view id) {
  return absl::StrCat("turn\n", id);
}

void TaskStarter::TakeUp(std::vector<std::string> ids) {
  for (std::string& id : ids) {
    unread_.insert(id);
    to_open_.push_back(std::move(id));
  }
  OpenSome();
}

void TaskStarter::OpenSome() {
  for (int i = 0; i < kOpenAtOnce && !to_open_.empty(); ++i) {
    const std::string id = std::move(to_open_.front());
    to_open_.pop_front();
    parts_.open->OpenOrReport(id);
  }
  if (!to_open_.empty()) open_timer_->SetIn(absl::ZeroDuration());
}

void TaskStarter::MarkRead(const std::string& id) {
  if (unread_.erase(id) > 0 && unread_.empty()) {
    tools_.loop->Post([this] { StartSome(); });
  }
}

void TaskStarter::RetryLater(const std::string& id, const absl::Status& error) {
  parts_.loader->Retry(id);
  parts_.rows->PutTrouble(id, error);
}

void TaskStarter::OnUnreadable(const std::string& id,
                               const absl::Status& error) {
  // If it waits, it gets its place again when the loader has read it.
  parts_.queue->Remove(id);
  if (MayPass(error)) {
    RetryLater(id, error);
  } else {
    parts_.loader->Supersede(id);
    parts_.rows->PutLost(id, error);
  }
  MarkRead(id);
}

void TaskStarter::OnRead(const ActiveTask& task) {
  const TaskState& state = task.state();
  const bool alive = task.failure().ok() && state.process_alive;
  if (alive && state.status != TaskStatus::kIdle) {
    parts_.queue->SetRunning(task.id(), HarnessId(*state.harness));
  } else if (alive || state.turns_waiting == 0 || AsksForBudget(state) ||
             !task.failure().ok()) {
    parts_.queue->Remove(task.id());
    tools_.loop->Post([this] { StartSome(); });
  }
  MarkRead(task.id());
}

void TaskStarter::OnWantsStart(ActiveTask& task) {
  if (parts_.queue->IsRunning(task.id()) ||
      parts_.queue->TakePlace(PlaceOf(task.id()), task.id())) {
    return StartProcess(task);
  }
  const TaskState& state = task.state();
  const absl::Time asked =
      state.turn_started.value_or(state.created.value_or(absl::UnixEpoch()));
  parts_.queue->Add(task.id(), HarnessId(*state.harness), asked);
  StartSome();
  // It is opened again when its time has come.
  if (parts_.queue->IsWaiting(task.id())) parts_.open->CloseSoon(task.id());
}

void TaskStarter::StartSome(NewTask* made) {
  if (!Counted() || std::exchange(starting_, true)) return;
  while (const auto id = parts_.queue->Next()) {
    if (ActiveTask* active = parts_.open->Find(*id)) {
      if (active->runner().waits_for_start()) StartProcess(*active);
    } else if (made != nullptr && made->made.folder.id == *id) {
      parts_.open->StartOrReport(std::move(*made));
    } else {
      parts_.open->OpenOrReport(*id);
    }
  }
  starting_ = false;
  ShowPositionsSoon();
  for (auto& then : std::exchange(when_counted_, {})) then();
}

void TaskStarter::StartProcess(ActiveTask& task) {
  const absl::StatusOr<Environment>& environment = task.runner().environment();
  if (!environment.ok()) return task.Start(environment.status());
  FindCli(*task.state().harness, ForAgents(*environment),
          [this, id = task.id()](absl::StatusOr<Cli> cli) {
            ActiveTask* const active = parts_.open->Find(id);
            if (active != nullptr && parts_.queue->IsRunning(id)) {
              active->Start(std::move(cli));
            }
          });
}

void TaskStarter::FindCli(Harness harness, Environment environment,
                          absl::AnyInvocable<void(absl::StatusOr<Cli>)> found) {
  const CliNames& names = BackendOf(harness).cli_names;
  if (auto cli = clis_.Remembered(names, environment)) {
    return found(*std::move(cli));
  }
  tools_.pools->probe.RunFor<absl::StatusOr<Cli>>(
      [this, &names, environment = std::move(environment)] {
        ProcessRunner runner;
        return clis_.Find(
            names, environment,
            {.cache_path = tools_.home->version_cache(), .runner = &runner});
      },
      std::move(found));
}

void TaskStarter::ShowPositionsSoon() {
  if (parts_.queue->version() == shown_version_ || position_timer_->is_set()) {
    return;
  }
  position_timer_->SetIn(kPositionDelay);
}

void TaskStarter::ShowPositions() {
  shown_version_ = parts_.queue->version();
  for (const auto& stream : parts_.open->streams().Watched()) {
    if (!parts_.queue->IsWaiting(stream->task_id())) continue;
    parts_.open->Get(stream->task_id(),
                     [stream](const absl::StatusOr<v1::Task>& task) {
                       if (!task.ok()) return;
                       stream->SetTask(ToJson(*task));
                       stream->Notify();
                     });
  }
}

}  // namespace troika
