#include "server/tasks.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "relay/log_format.h"

namespace troika {
namespace {

constexpr absl::string_view kLatest = "latest";
constexpr size_t kShownIds = 5;

absl::StatusOr<std::string> Choose(const std::string& name,
                                   const std::vector<std::string>& ids) {
  if (ids.empty()) {
    return name == kLatest ? absl::NotFoundError("there is no task yet")
                           : NoTaskError(name);
  }
  for (const std::string& id : ids) {
    if (id == name) return id;
  }
  if (ids.size() == 1) return ids[0];
  return absl::InvalidArgumentError(absl::StrCat(
      "several tasks begin with ", name, ": ", absl::StrJoin(ids, ", ")));
}

TaskTools WithEnding(TaskTools tools, const std::atomic<bool>* ending) {
  tools.ending = ending;
  return tools;
}

}  // namespace

Tasks::Tasks(const Options& options, TaskTools tools)
    : tools_(WithEnding(std::move(tools), &ending_)),
      queue_(options.limits),
      loader_(&tools_, this),
      rows_(
          &tools_,
          [this](const std::string& id) { return open_.Find(id) != nullptr; }),
      deleter_(&tools_, this),
      starter_(&tools_, &parts_),
      open_(&tools_, &parts_, static_cast<size_t>(options.limits.running)),
      maker_(&tools_, &parts_,
             {.max_queued = options.max_queued,
              .approval_timeout = options.approval_timeout,
              .budget = options.budget}),
      retention_({.pool = &tools_.pools->remove,
                  .index = tools_.index,
                  .home = tools_.home},
                 [this](const std::vector<std::string>& ids,
                        absl::AnyInvocable<void()> done) {
                   deleter_.Delete(
                       ids,
                       [done = std::move(done)](
                           const std::vector<TaskDeleter::Deletion>&) mutable {
                         done();
                       });
                 }) {}

void Tasks::Begin() {
  tools_.index->SetOnLost([this] { loader_.Begin(); });
  loader_.Begin();
  tools_.index->Check();
  deleter_.EmptyTrash();
}

void Tasks::Import(ImportRequest request, Environment environment,
                   TaskCallback done) {
  maker_.Import(std::move(request), std::move(environment),
                [this, done = std::move(done)](
                    const absl::StatusOr<std::string>& id) mutable {
                  ShowMade(id, std::move(done));
                });
}

void Tasks::ShowMade(const absl::StatusOr<std::string>& id, TaskCallback done) {
  if (!id.ok()) return done(id.status());
  on_list_changed_();
  open_.Get(*id, std::move(done));
}

void Tasks::Create(TaskRequest request, Environment environment,
                   TaskCallback done) {
  maker_.Make(std::move(request), std::move(environment),
              [this, done = std::move(done)](
                  const absl::StatusOr<std::string>& id) mutable {
                ShowMade(id, std::move(done));
              });
}

void Tasks::WhenRead(absl::AnyInvocable<void()> then) {
  loader_.WhenOver(TaskLoader::Phase::kReadOpen,
                   [this, then = std::move(then)]() mutable {
                     starter_.WhenCounted(std::move(then));
                   });
}

void Tasks::Find(const std::string& name, TaskMaker::IdCallback found) {
  if (open_.Find(name) != nullptr) return found(name);
  const bool latest = name == kLatest;
  if (!latest && !relay::IsTaskId(name)) return found(NoTaskError(name));
  loader_.WhenOver(
      TaskLoader::Phase::kReadOpen,
      [this, name, latest, found = std::move(found)]() mutable {
        // A task that was just made may have no row yet.
        open_.PutChangedStatuses();
        tools_.index->Ask<std::string>(
            [name,
             latest](BufferedTaskStore& store) -> absl::StatusOr<std::string> {
              ASSIGN_OR_RETURN(const std::vector<std::string> ids,
                               store.WithPrefix(latest ? "" : name,
                                                latest ? 1 : kShownIds + 1));
              return Choose(name, ids);
            },
            [this, name, latest,
             found = std::move(found)](absl::StatusOr<std::string> id) mutable {
              // A task that the index does not know yet may exist all the same.
              if (absl::IsNotFound(id.status()) && !latest && !loader_.done() &&
                  HasFolder(*tools_.home, name)) {
                id = name;
              }
              found(std::move(id));
            });
      });
}

void Tasks::ReleaseTurnSoon(const std::string& id) {
  tools_.loop->Post(
      [this, place = TaskStarter::PlaceOf(id)] { starter_.Release(place); });
}

bool Tasks::IsNewer(const std::string& id) const {
  return open_.Find(id) != nullptr || loader_.IsSuperseded(id) ||
         deleter_.IsDeleting(id);
}

void Tasks::OnLoaded(std::vector<LoadedTask> tasks) {
  std::vector<std::string> alive;
  for (LoadedTask& task : tasks) {
    if (IsNewer(task.id)) continue;
    switch (task.kind) {
      case LoadedTask::Kind::kWaiting:
        starter_.Add(task);
        [[fallthrough]];
      case LoadedTask::Kind::kEnded:
        // Before the row says that the task needs nobody.
        if (!task.hook_events.empty() && tools_.hooks != nullptr) {
          tools_.hooks->Notice(task.id, std::move(task.hook_events));
        }
        rows_.Put(std::move(task.row));
        break;
      case LoadedTask::Kind::kAlive:
        rows_.ClearTrouble(task.id);
        alive.push_back(std::move(task.id));
        break;
      case LoadedTask::Kind::kLost:
      case LoadedTask::Kind::kUnreadable:
        starter_.OnUnreadable(task.id, task.error);
        break;
    }
  }
  OnAlive(std::move(alive));
  starter_.StartSome();
}

void Tasks::OnAlive(std::vector<std::string> ids) {
  ids.erase(
      std::remove_if(ids.begin(), ids.end(),
                     [this](const std::string& id) { return IsNewer(id); }),
      ids.end());
  starter_.TakeUp(std::move(ids));
}

void Tasks::OnRemoved(std::vector<std::string> ids) {
  for (const std::string& id : ids) {
    if (!IsNewer(id)) OnDeleted(id);
  }
}

absl::Status Tasks::CheckDelete(const std::string& id) const {
  const ActiveTask* const active = open_.Find(id);
  const bool lives = queue_.IsWaiting(id) || queue_.IsRunning(id) ||
                     starter_.IsUnread(id) || rows_.HasTrouble(id) ||
                     (active != nullptr && !active->at_rest());
  return lives ? HasNotEndedError(id) : absl::OkStatus();
}

void Tasks::Delete(const std::string& id,
                   absl::AnyInvocable<void(absl::Status)> done) {
  if (const absl::Status may = CheckDelete(id); !may.ok()) return done(may);
  index().Ask<bool>(
      [id](BufferedTaskStore& store) -> absl::StatusOr<bool> {
        const auto row = store.Get(id);
        return row.ok() && *row && !(*row)->ended;
      },
      [this, id,
       done = std::move(done)](const absl::StatusOr<bool>& lives) mutable {
        if (lives.ok() && *lives) return done(HasNotEndedError(id));
        deleter_.Delete(
            {id}, [done = std::move(done)](
                      const std::vector<TaskDeleter::Deletion>& all) mutable {
              done(all[0].status);
            });
      });
}

void Tasks::OnDeleted(const std::string& id) {
  loader_.Supersede(id);
  open_.Remove(id);
  rows_.Remove(id);
  on_list_changed_();
}

bool Tasks::idle() const {
  return open_.size() == 0 && queue_.waiting() == 0 && maker_.idle() &&
         loader_.done() && !loader_.has_retries() &&
         open_.streams().viewers() == 0;
}

void Tasks::Finish() {
  ending_ = true;
  open_.PutRows();
}

void Tasks::Retain(const Retention::Limits& limits) {
  // While tasks are still found, the oldest ones are not known.
  loader_.WhenOver(TaskLoader::Phase::kRead,
                   [this, limits] { retention_.Run(limits); });
}

}  // namespace troika
