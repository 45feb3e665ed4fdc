#include "server/task_maker.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/harness.h"
#include "base/status_macros.h"
#include "server/load_task.h"
#include "server/start_queue.h"
#include "server/task_loader.h"
#include "server/task_rows.h"
#include "server/task_starter.h"
#include "task/make.h"

namespace troika {
namespace {

// Makes the task survive a loss of power, and reads it unless it has started.
absl::StatusOr<LoadedTask> SyncAndLoad(const TaskTools& tools,
                                       const std::string& id) {
  ASSIGN_OR_RETURN(const TaskFolder folder, tools.home->OpenTask(id));
  const absl::Status synced = SyncTask(folder);
  if (!synced.ok()) {
    return absl::Status(
        synced.code(),
        absl::StrCat("task ", id,
                     " was made, but a loss of power may lose it: ",
                     synced.message(), "; look at it before you try again"));
  }
  return LoadTask(*tools.home, id, *tools.ending);
}

}  // namespace

int TaskMaker::waiting() const {
  return parts_.queue->waiting() + static_cast<int>(making_.size());
}

absl::Status TaskMaker::CheckQueue() const {
  if (waiting() < options_.max_queued) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat(waiting(),
                   " tasks wait already: try again when some have run, or "
                   "raise --max-queued"));
}

void TaskMaker::Make(TaskRequest request, Environment environment,
                     IdCallback done) {
  if (!request.timeouts.approval) {
    request.timeouts.approval = options_.approval_timeout;
  }
  const bool keyed = !request.idempotency_key.empty();
  const std::string key =
      keyed ? request.idempotency_key : absl::StrCat("\n", ++keyless_);
  const auto making = making_.find(key);
  if (making != making_.end()) {
    making->second.push_back(std::move(done));
    return;
  }
  if (!keyed) {
    const absl::Status room = CheckQueue();
    if (!room.ok()) return done(room);
  }
  making_[key].push_back(std::move(done));
  parts_.loader->WhenOver(
      keyed ? TaskLoader::Phase::kProbe : TaskLoader::Phase::kList,
      [this, key, keyed, request = std::move(request),
       environment = std::move(environment)]() mutable {
        keyed ? FindKey(key, std::move(request), std::move(environment))
              : MakeNew(key, std::move(request), std::move(environment));
      });
}

void TaskMaker::FindKey(const std::string& key, TaskRequest request,
                        Environment environment) {
  if (const auto id = parts_.loader->FindKey(key)) return Finish(key, *id);
  tools_.index->Ask<std::string>(
      [key](BufferedTaskStore& store) { return store.ByIdempotencyKey(key); },
      [this, key, request = std::move(request),
       environment = std::move(environment)](
          const absl::StatusOr<std::string>& id) mutable {
        if (!absl::IsNotFound(id.status())) return Finish(key, id);
        // This one counts among the waiting ones.
        if (waiting() > options_.max_queued) return Finish(key, CheckQueue());
        MakeNew(key, std::move(request), std::move(environment));
      });
}

void TaskMaker::MakeNew(const std::string& key, TaskRequest request,
                        Environment environment) {
  const Harness harness = request.harness;
  Environment kept = ForAgents(environment);
  parts_.starter->FindCli(
      harness, std::move(kept),
      [this, key, request = std::move(request),
       environment = std::move(environment)](absl::StatusOr<Cli> cli) mutable {
        MakeWithCli(key, std::move(request), std::move(environment),
                    std::move(cli));
      });
}

void TaskMaker::MakeWithCli(const std::string& key, TaskRequest request,
                            Environment environment, absl::StatusOr<Cli> cli) {
  TaskRow known = {.harness = std::string(HarnessId(request.harness)),
                   .idempotency_key = request.idempotency_key};
  tools_.pools->work.RunFor<absl::StatusOr<NewTask>>(
      [this, request = std::move(request), environment = std::move(environment),
       cli = std::move(cli)]() mutable -> absl::StatusOr<NewTask> {
        ASSIGN_OR_RETURN(MadeTask made,
                         MakeTask(*tools_.home, std::move(request), environment,
                                  std::move(cli), tools_.clock));
        auto events = EventFile::Open(made.folder.fd.get(), made.folder.id);
        return NewTask{std::move(made), std::move(events)};
      },
      [this, key,
       known = std::move(known)](absl::StatusOr<NewTask> task) mutable {
        if (!task.ok()) return Finish(key, task.status());
        OnMade(key, *std::move(task), std::move(known));
      });
}

void TaskMaker::OnMade(const std::string& key, NewTask task, TaskRow known) {
  known.id = task.made.folder.id;
  parts_.loader->Supersede(known.id);
  // It starts while it is synced, and the client waits for the sync only.
  parts_.starter->AddNew(std::move(task), known.harness);
  // Copied before `known` is moved: g++ evaluates arguments from the right.
  const std::string id = known.id;
  tools_.pools->work.RunFor<absl::StatusOr<LoadedTask>>(
      [this, id] { return SyncAndLoad(tools_, id); },
      [this, key,
       known = std::move(known)](absl::StatusOr<LoadedTask> task) mutable {
        const std::string id = known.id;
        if (!task.ok()) return Finish(key, task.status());
        // If it was opened meanwhile, more is known than we have read.
        if (parts_.queue->IsWaiting(id) && parts_.open->Find(id) == nullptr) {
          if (task->kind == LoadedTask::Kind::kWaiting) {
            parts_.rows->Put(std::move(task->row));
          } else {
            parts_.rows->Put(
                TroubledRow(std::move(known), task->error.message()));
            parts_.starter->OnUnreadable(id, task->error);
          }
        }
        Finish(key, id);
      });
}

void TaskMaker::Finish(const std::string& key,
                       const absl::StatusOr<std::string>& id) {
  auto made = making_.extract(key);
  for (IdCallback& done : made.mapped()) done(id);
}

}  // namespace troika
