#include "server/task_maker.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/harness.h"
#include "base/status_macros.h"
#include "server/row.h"
#include "task/make.h"

namespace troika {
namespace {

// Makes the task and reads it. It exists even if it then can't be read.
absl::StatusOr<LoadedTask> MakeAndLoad(const TaskTools& tools,
                                       TaskRequest request,
                                       const Environment& environment,
                                       const absl::StatusOr<Cli>& cli) {
  TaskRow known = {.harness = std::string(HarnessId(request.harness)),
                   .idempotency_key = request.idempotency_key};
  MakeTaskTools make_tools = {.clock = tools.clock,
                              .version_cache = tools.home->version_cache()};
  make_tools.find_cli = [&](const Backend&, const Environment&) { return cli; };
  ASSIGN_OR_RETURN(const TaskFolder folder,
                   MakeTask(*tools.home, std::move(request), environment,
                            std::move(make_tools)));
  LoadedTask task = LoadTask(*tools.home, folder.id, *tools.ending);
  if (task.kind != LoadedTask::Kind::kWaiting) {
    known.id = folder.id;
    task.row = TroubledRow(std::move(known), task.error.message());
  }
  return task;
}

}  // namespace

absl::Status TaskMaker::CheckQueue() const {
  if (waiting() < max_queued_) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat(waiting(),
                   " tasks wait already: try again when some have run, or "
                   "raise --max-queued"));
}

void TaskMaker::Make(TaskRequest request, Environment environment,
                     IdCallback done) {
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
        if (waiting() > max_queued_) return Finish(key, CheckQueue());
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
       environment =
           std::move(environment)](const absl::StatusOr<Cli>& cli) mutable {
        MakeWithCli(key, std::move(request), environment, cli);
      });
}

void TaskMaker::MakeWithCli(const std::string& key, TaskRequest request,
                            const Environment& environment,
                            const absl::StatusOr<Cli>& cli) {
  tools_.pool->RunFor<absl::StatusOr<LoadedTask>>(
      [this, request = std::move(request), environment, cli]() mutable {
        return MakeAndLoad(tools_, std::move(request), environment, cli);
      },
      [this, key, cli](absl::StatusOr<LoadedTask> task) {
        if (!task.ok()) return Finish(key, task.status());
        const std::string id = task->id;
        OnMade(*std::move(task), *cli);
        Finish(key, id);
      });
}

void TaskMaker::OnMade(LoadedTask task, const Cli& cli) {
  parts_.loader->Supersede(task.id);
  parts_.rows->Put(task.row);
  if (task.kind == LoadedTask::Kind::kWaiting) {
    parts_.starter->AddNew(task, cli);
  } else {
    parts_.starter->RetryLater(task.id, task.error);
  }
}

void TaskMaker::Finish(const std::string& key,
                       const absl::StatusOr<std::string>& id) {
  auto made = making_.extract(key);
  for (IdCallback& done : made.mapped()) done(id);
}

}  // namespace troika
