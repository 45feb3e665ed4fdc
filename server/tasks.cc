#include "server/tasks.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "agent/harness.h"
#include "base/status_macros.h"
#include "dto/proto_json.h"
#include "relay/log_format.h"
#include "server/row.h"
#include "task/make.h"

namespace troika {
namespace {

constexpr absl::string_view kLatest = "latest";
constexpr size_t kShownIds = 5;

absl::Status NoTask(absl::string_view name) {
  return absl::NotFoundError(absl::StrCat(
      "no task ", name, ": `troika tasks`, or GET /api/v1/tasks, lists them"));
}

absl::StatusOr<std::string> Choose(const std::string& name,
                                   const std::vector<std::string>& ids) {
  if (ids.empty()) {
    return name == kLatest ? absl::NotFoundError("there is no task yet")
                           : NoTask(name);
  }
  for (const std::string& id : ids) {
    if (id == name) return id;
  }
  if (ids.size() == 1) return ids[0];
  return absl::InvalidArgumentError(absl::StrCat(
      "several tasks begin with ", name, ": ", absl::StrJoin(ids, ", ")));
}

}  // namespace

Tasks::Tasks(Options options, Tools tools)
    : options_(std::move(options)),
      tools_(std::move(tools)),
      queue_(options_.limits),
      loader_({.loop = tools_.loop,
               .pool = tools_.load_pool,
               .index = tools_.index,
               .home = tools_.home,
               .owner = this,
               .stop = &ending_}),
      retention_({.pool = tools_.delete_pool,
                  .index = tools_.index,
                  .home = tools_.home},
                 [this](std::vector<std::string> ids,
                        absl::AnyInvocable<void()> done) {
                   DeleteFiles(std::move(ids),
                               [done = std::move(done)](
                                   const std::vector<absl::Status>&) mutable {
                                 done();
                               });
                 }),
      row_timer_(tools_.loop->NewTimer([this] { PutOldRows(); })),
      position_timer_(tools_.loop->NewTimer([this] { TellPositions(); })) {}

Tasks::~Tasks() = default;

absl::Status Tasks::CheckQueue() const {
  const int waiting = queue_.waiting() + static_cast<int>(making_.size());
  if (waiting < options_.max_queued) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat(waiting,
                   " tasks wait already: try again when some have run, or "
                   "raise --max-queued"));
}

void Tasks::Create(TaskRequest request, Environment environment,
                   Answer answer) {
  const bool keyed = !request.idempotency_key.empty();
  // Those that come with the same key meanwhile wait for the first. No key of a
  // client begins with a newline.
  const std::string key =
      keyed ? request.idempotency_key : absl::StrCat("\n", ++made_);
  const auto making = making_.find(key);
  if (making != making_.end()) {
    making->second.push_back(std::move(answer));
    return;
  }
  const absl::Status room = CheckQueue();
  if (!keyed && !room.ok()) return answer(room);
  making_[key].push_back(std::move(answer));
  auto make = [this, key, keyed, request = std::move(request),
               environment = std::move(environment)]() mutable {
    keyed ? LookUpKey(key, std::move(request), std::move(environment))
          : FindCliAndMake(key, std::move(request), std::move(environment));
  };
  if (keyed ? loader_.live_tasks_known() : loader_.listed()) return make();
  (keyed ? when_live_known_ : when_listed_).push_back(std::move(make));
}

void Tasks::LookUpKey(const std::string& key, TaskRequest request,
                      Environment environment) {
  if (const auto id = loader_.FindKey(key)) {
    // Its row may not be there yet: it is opened.
    return Ask(
        *id, [](Runner&) { return absl::OkStatus(); },
        [this, key](const absl::StatusOr<v1::Task>& task) {
          AnswerMade(key, task);
        });
  }
  tools_.index->Ask<std::string>(
      [key](BufferedTaskStore& store) { return store.ByIdempotencyKey(key); },
      [this, key, request = std::move(request),
       environment =
           std::move(environment)](absl::StatusOr<std::string> id) mutable {
        if (id.ok()) {
          return Get(*id, [this, key](const absl::StatusOr<v1::Task>& task) {
            AnswerMade(key, task);
          });
        }
        if (!absl::IsNotFound(id.status())) return AnswerMade(key, id.status());
        const int waiting = queue_.waiting() + static_cast<int>(making_.size());
        // It counts among those that are made.
        if (waiting > options_.max_queued) {
          return AnswerMade(key, CheckQueue());
        }
        FindCliAndMake(key, std::move(request), std::move(environment));
      });
}

void Tasks::FindCliAndMake(const std::string& key, TaskRequest request,
                           Environment environment) {
  const Harness harness = request.harness;
  Environment kept = ForAgents(environment);
  Probe(
      harness, std::move(kept),
      [this, key, request = std::move(request),
       environment = std::move(environment)](absl::StatusOr<Cli> cli) mutable {
        Make(std::move(request), std::move(environment), std::move(cli), key);
      });
}

void Tasks::Make(TaskRequest request, Environment environment,
                 absl::StatusOr<Cli> cli, const std::string& key) {
  struct Made {
    absl::StatusOr<Cli> cli;
    absl::Status error;
    LoadedTask task;
  };
  auto made = std::make_shared<Made>();
  made->cli = std::move(cli);
  tools_.pool->Run(
      [this, made, request = std::move(request),
       environment = std::move(environment)]() mutable {
        MakeTaskTools tools = {.clock = tools_.clock,
                               .version_cache = tools_.home->version_cache()};
        tools.find_cli = [&](const Backend&, const Environment&) {
          return made->cli;
        };
        TaskRow known = {.harness = std::string(HarnessId(request.harness)),
                         .idempotency_key = request.idempotency_key};
        const auto folder = MakeTask(*tools_.home, std::move(request),
                                     environment, std::move(tools));
        if (!folder.ok()) {
          made->error = folder.status();
          return;
        }
        made->task = LoadTask(*tools_.home, folder->id, ending_);
        if (made->task.kind == LoadedTask::Kind::kWaiting) return;
        // It is there, whatever keeps us from reading it.
        known.id = folder->id;
        made->task.row =
            TroubledRow(std::move(known), made->task.error.message());
      },
      [this, made, key] {
        if (!made->error.ok()) return AnswerMade(key, made->error);
        OnMade(std::move(made->task), *made->cli, key);
      });
}

void Tasks::OnMade(LoadedTask task, const Cli& cli, const std::string& key) {
  const std::string id = task.id;
  const TaskRow row = task.row;
  if (!loader_.done()) newer_.insert(id);
  Put(std::move(task.row));
  if (task.kind == LoadedTask::Kind::kWaiting) {
    queue_.Add(id, row.harness, task.asked_us);
    // If it may run at once, nobody has to look for its CLI again.
    found_clis_.emplace(id, cli);
    StartSome();
    if (!queue_.IsRunning(id)) found_clis_.erase(id);
    TellPositionsSoon();
  } else {
    RetryLater(id, task.error);
  }
  std::optional<v1::Task> made = GetOpen(id);
  if (!made) made = TaskOf(row);
  if (!made) return AnswerMade(key, absl::InternalError("a row without task"));
  AddPosition(&*made);
  AnswerMade(key, *made);
}

void Tasks::AnswerMade(const std::string& key,
                       const absl::StatusOr<v1::Task>& task) {
  std::vector<Answer> answers = std::move(making_[key]);
  making_.erase(key);
  for (Answer& answer : answers) answer(task);
}

void Tasks::Ask(const std::string& id, ActiveTask::Command command,
                Answer answer) {
  const auto task = Activate(id);
  if (!task.ok()) return answer(task.status());
  (*task)->Ask(std::move(command), [this, id, answer = std::move(answer)](
                                       const absl::Status& status) mutable {
    if (!status.ok()) return answer(status);
    Get(id, std::move(answer));
  });
}

void Tasks::Find(const std::string& name,
                 absl::AnyInvocable<void(absl::StatusOr<std::string>)> found) {
  if (ActiveOf(name) != nullptr) return found(name);
  const bool latest = name == kLatest;
  if (!latest && !relay::IsTaskId(name)) return found(NoTask(name));
  if (!loader_.open_tasks_known()) {
    when_open_known_.push_back(
        [this, name, found = std::move(found)]() mutable {
          Find(name, std::move(found));
        });
    return;
  }
  tools_.index->Ask<std::string>(
      [name, latest](BufferedTaskStore& store) -> absl::StatusOr<std::string> {
        ASSIGN_OR_RETURN(
            const std::vector<std::string> ids,
            store.WithPrefix(latest ? "" : name, latest ? 1 : kShownIds + 1));
        return Choose(name, ids);
      },
      [this, name, latest,
       found = std::move(found)](absl::StatusOr<std::string> id) mutable {
        // One that the index does not know yet may be there all the same.
        if (absl::IsNotFound(id.status()) && !latest && !loader_.done() &&
            HasFolder(*tools_.home, name)) {
          return found(name);
        }
        found(std::move(id));
      });
}

std::optional<v1::Task> Tasks::GetOpen(const std::string& id) const {
  const ActiveTask* const active = ActiveOf(id);
  if (active == nullptr) return std::nullopt;
  v1::Task task = active->Describe();
  AddPosition(&task);
  return task;
}

void Tasks::AddPosition(v1::Task* task) const {
  if (const auto position = queue_.Position(task->id())) {
    task->set_queue_position(*position);
  }
}

void Tasks::Get(const std::string& id, Answer answer) {
  if (const auto open = GetOpen(id)) return answer(*open);
  tools_.index->Ask<std::optional<TaskRow>>(
      [id](BufferedTaskStore& store) { return store.Get(id); },
      [this, id, answer = std::move(answer)](
          absl::StatusOr<std::optional<TaskRow>> row) mutable {
        // It may have been opened meanwhile.
        if (const auto open = GetOpen(id)) return answer(*open);
        if (!row.ok()) return answer(row.status());
        auto task = *row ? TaskOf(**row) : std::nullopt;
        if (task) {
          AddPosition(&*task);
          return answer(*std::move(task));
        }
        // One that has no row yet is read now.
        if (loader_.done() || !HasFolder(*tools_.home, id)) {
          return answer(NoTask(id));
        }
        Ask(
            id, [](Runner&) { return absl::OkStatus(); }, std::move(answer));
      });
}

std::string Tasks::TaskOfRelay(pid_t pid) const {
  for (const auto& [id, open] : open_) {
    if (open.task->runner().relay_pid() == pid) return id;
  }
  return "";
}

size_t Tasks::loading() const { return loader_.remaining() + to_open_.size(); }

Tasks::Counts Tasks::counts() const {
  Counts counts = {.open = open_.size(),
                   .running = queue_.running(),
                   .queued = queue_.waiting()};
  for (const auto& [id, weak] : streams_) {
    if (const auto stream = weak.lock()) counts.viewers += stream->viewers();
  }
  return counts;
}

bool Tasks::idle() const {
  return open_.empty() && queue_.waiting() == 0 && making_.empty() &&
         loader_.done() && !loader_.has_retries() && counts().viewers == 0;
}

void Tasks::Beat() {
  for (auto it = streams_.begin(); it != streams_.end();) {
    const auto stream = it->second.lock();
    if (!stream) {
      it = streams_.erase(it);
      continue;
    }
    ++it;
    stream->Beat();
  }
}

}  // namespace troika
