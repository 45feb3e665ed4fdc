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
#include "task/budget.h"
#include "task/follower.h"
#include "task/make.h"

namespace troika {
namespace {

// How often a new task is read whose log is locked.
constexpr int kMaxTries = 100;

// Makes the task survive a loss of power.
absl::Status SyncFiles(const TaskFolder& folder) {
  const absl::Status synced = SyncTask(folder);
  if (synced.ok()) return synced;
  return absl::Status(
      synced.code(),
      absl::StrCat("task ", folder.id,
                   " was made, but a loss of power may lose it: ",
                   synced.message(), "; look at it before you try again"));
}

// The rules of a task hold for those that its agent starts, too.
absl::Status InheritPolicy(const Home& home, TaskRequest* request) {
  if (request->parent.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const TaskFolder folder, home.OpenTask(request->parent));
  const std::optional<notes::Request> parent = ReadRequest(folder);
  if (!parent) {
    return absl::UnavailableError(absl::StrCat(
        "the rules of task ", request->parent,
        ", whose agent asks, can't be read: try again in a moment"));
  }
  request->inherited_policy = parent->policy;
  request->policy_folder =
      parent->policy_folder.empty() ? parent->cwd : parent->policy_folder;
  request->require_policy |= parent->require_policy;
  return absl::OkStatus();
}

// The name of the place that a task gets which must not wait.
std::string PlaceOf(absl::string_view key) {
  return absl::StrCat("make\n", key);
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
  notes::Budget budget = options_.budget;
  notes::MergeBudget(request.budget, &budget);
  // A request with a parent comes from an agent.
  const ActiveTask* const parent = parts_.open->Find(request.parent);
  request.budget =
      parent == nullptr ? budget : LimitsWithin(parent->state(), budget);
  const bool keyed = !request.idempotency_key.empty();
  const std::string key =
      keyed ? request.idempotency_key : absl::StrCat("\n", ++keyless_);
  const auto making = making_.find(key);
  if (making != making_.end()) {
    making->second.waiting.push_back(std::move(done));
    return;
  }
  if (!keyed) {
    const absl::Status room = CheckQueue();
    if (!room.ok()) return done(room);
  }
  making_[key].waiting.push_back(std::move(done));
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
  // A task that was just made may have no row yet.
  parts_.open->PutChangedStatuses();
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
  if (!request.no_queue) {
    return FindCliAndMake(key, std::move(request), std::move(environment));
  }
  parts_.starter->WhenCounted([this, key, request = std::move(request),
                               environment = std::move(environment)]() mutable {
    MakeNowOrNever(key, std::move(request), std::move(environment));
  });
}

void TaskMaker::MakeNowOrNever(const std::string& key, TaskRequest request,
                               Environment environment) {
  const absl::Status room =
      parts_.starter->Reserve(PlaceOf(key), request.harness);
  if (!room.ok()) return Finish(key, room);
  FindCliAndMake(key, std::move(request), std::move(environment));
}

void TaskMaker::FindCliAndMake(const std::string& key, TaskRequest request,
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
  making_[key].known = {.harness = std::string(HarnessId(request.harness)),
                        .idempotency_key = request.idempotency_key};
  const std::string place = request.no_queue ? PlaceOf(key) : "";
  tools_.pools->work.RunFor<absl::StatusOr<NewTask>>(
      [this, key, request = std::move(request),
       environment = std::move(environment),
       cli = std::move(cli)]() mutable -> absl::StatusOr<NewTask> {
        RETURN_IF_ERROR(InheritPolicy(*tools_.home, &request));
        ASSIGN_OR_RETURN(MadeTask made,
                         MakeTask(*tools_.home, std::move(request), environment,
                                  std::move(cli), tools_.clock,
                                  [this] { return tools_.folders->Take(); }));
        // The disk works while the task starts. On a machine with few cores the
        // loop takes the processor from this thread as soon as it has work.
        Sync(key, made.folder);
        auto events = EventFile::New(made.folder.fd.get(), made.folder.id);
        return NewTask{std::move(made), std::move(events)};
      },
      [this, key, place](absl::StatusOr<NewTask> task) {
        tools_.folders->RefillSoon();
        if (!task.ok()) return Finish(key, task.status());
        Begin(key, place, *std::move(task));
      });
}

void TaskMaker::Sync(const std::string& key, const TaskFolder& folder) {
  tools_.pools->sync.RunFor<absl::Status>(
      [id = folder.id, path = folder.path,
       copy = CopyOf(folder.fd)]() mutable -> absl::Status {
        RETURN_IF_ERROR(copy.status());
        return SyncFiles({.id = id, .path = path, .fd = *std::move(copy)});
      },
      [this, key](absl::Status synced) { OnSynced(key, std::move(synced)); });
}

void TaskMaker::OnSynced(const std::string& key, absl::Status synced) {
  making_.find(key)->second.synced = std::move(synced);
  AnswerIfReady(key);
}

void TaskMaker::Begin(const std::string& key, const std::string& place,
                      NewTask task) {
  Making& making = making_.find(key)->second;
  making.known.id = task.made.folder.id;
  making.begun = true;
  parts_.loader->Supersede(making.known.id);
  if (place.empty()) {
    parts_.starter->AddNew(std::move(task), making.known.harness);
  } else {
    parts_.starter->StartNew(std::move(task), place);
  }
  AnswerIfReady(key);
}

void TaskMaker::AnswerIfReady(const std::string& key) {
  const Making& making = making_.find(key)->second;
  if (!making.begun || !making.synced) return;
  if (!making.synced->ok()) return Finish(key, *making.synced);
  PutRowAndAnswer(key, making.known, 0);
}

void TaskMaker::Import(ImportRequest request, Environment environment,
                       IdCallback done) {
  ++importing_;
  auto import = [this, request = std::move(request),
                 environment = std::move(environment)]() {
    const auto id =
        ImportSession(*tools_.home, request, environment, tools_.clock);
    return id.ok() ? LoadTask(*tools_.home, *id, *tools_.ending)
                   : LoadedTask{.kind = LoadedTask::Kind::kLost,
                                .error = id.status()};
  };
  auto show = [this, done = std::move(done)](LoadedTask task) mutable {
    --importing_;
    if (task.kind != LoadedTask::Kind::kEnded) {
      task.error.Update(absl::InternalError(
          absl::StrCat("task ", task.id, " was imported and can't be read")));
      return done(task.error);
    }
    parts_.rows->Put(std::move(task.row));
    done(task.id);
  };
  // The loader must not find the folder before its log is complete.
  parts_.loader->WhenOver(
      TaskLoader::Phase::kList,
      [this, import = std::move(import), show = std::move(show)]() mutable {
        tools_.pools->log.RunFor<LoadedTask>(std::move(import),
                                             std::move(show));
      });
}

void TaskMaker::PutRowAndAnswer(const std::string& key, const TaskRow& known,
                                int tries) {
  const auto waits = [this, id = known.id] {
    return parts_.queue->IsWaiting(id) && parts_.open->Find(id) == nullptr;
  };
  // If it was opened, it has its row.
  if (!waits()) return Finish(key, known.id);
  tools_.pools->work.RunFor<LoadedTask>(
      [this, id = known.id] {
        return LoadTask(*tools_.home, id, *tools_.ending);
      },
      [this, key, known, waits, tries](LoadedTask task) {
        if (!waits()) return Finish(key, known.id);
        if (task.kind == LoadedTask::Kind::kWaiting) {
          parts_.rows->Put(std::move(task.row));
          return Finish(key, known.id);
        }
        // A process that was just forked for something else has the log's lock
        // until it runs its program.
        if (task.kind == LoadedTask::Kind::kAlive && tries < kMaxTries) {
          return PutRowAndAnswer(key, known, tries + 1);
        }
        task.error.Update(
            absl::UnavailableError("another process has the lock of its log"));
        parts_.rows->Put(TroubledRow(known, task.error.message()));
        parts_.starter->OnUnreadable(known.id, task.error);
        Finish(key, known.id);
      });
}

void TaskMaker::Finish(const std::string& key,
                       const absl::StatusOr<std::string>& id) {
  parts_.starter->Release(PlaceOf(key));
  auto made = making_.extract(key);
  for (IdCallback& done : made.mapped().waiting) done(id);
}

}  // namespace troika
