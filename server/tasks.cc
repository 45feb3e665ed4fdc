#include "server/tasks.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "agent/harness.h"
#include "base/status_macros.h"
#include "relay/log_format.h"
#include "server/row.h"
#include "task/make.h"

namespace troika {
namespace {

constexpr absl::string_view kLatest = "latest";
constexpr int kShownIds = 5;

absl::Status NoTask(absl::string_view name) {
  return absl::NotFoundError(absl::StrCat(
      "no task ", name, ": `troika tasks`, or GET /api/v1/tasks, lists them"));
}

}  // namespace

Tasks::Tasks(Options options, Tools tools)
    : options_(std::move(options)),
      tools_(std::move(tools)),
      queue_(options_.limits),
      flush_timer_(tools_.loop->NewTimer([this] { Flush(); })),
      retry_timer_(tools_.loop->NewTimer([this] {
        LoadSoon();
        StartSome();
      })) {}

Tasks::~Tasks() { Flush(); }

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
  if (keyed) {
    Flush();
    const auto seen = tools_.store->ByIdempotencyKey(request.idempotency_key);
    if (seen.ok()) return answer(Get(*seen));
    if (!absl::IsNotFound(seen.status())) return answer(seen.status());
    if (!rowless_.empty()) {
      return answer(absl::UnavailableError(
          "tasks are still being read from their logs, and one of them may "
          "have this key: try again in a moment"));
    }
  }
  // Those that come with the same key meanwhile wait for the first. No key of a
  // client begins with a newline.
  const std::string key =
      keyed ? request.idempotency_key : absl::StrCat("\n", ++made_);
  const auto making = making_.find(key);
  if (making != making_.end()) {
    making->second.push_back(std::move(answer));
    return;
  }
  if (const absl::Status room = CheckQueue(); !room.ok()) return answer(room);
  making_[key].push_back(std::move(answer));
  const Harness harness = request.harness;
  Environment kept = ForAgents(environment);
  auto make = [this, key, request = std::move(request),
               environment =
                   std::move(environment)](absl::StatusOr<Cli> cli) mutable {
    Make(std::move(request), std::move(environment), std::move(cli), key);
  };
  Probe(harness, std::move(kept), std::move(make));
}

void Tasks::Make(TaskRequest request, Environment environment,
                 absl::StatusOr<Cli> cli, const std::string& key) {
  struct Making {
    absl::StatusOr<Cli> cli;
    absl::StatusOr<TaskFolder> folder = absl::InternalError("not made");
  };
  auto making = std::make_shared<Making>();
  making->cli = std::move(cli);
  tools_.pool->Run(
      [this, making, request = std::move(request),
       environment = std::move(environment)]() mutable {
        MakeTaskTools tools = {.clock = tools_.clock,
                               .version_cache = tools_.home->version_cache()};
        tools.find_cli = [&](const Backend&, const Environment&) {
          return making->cli;
        };
        making->folder = MakeTask(*tools_.home, std::move(request), environment,
                                  std::move(tools));
      },
      [this, making, key] {
        if (!making->folder.ok()) {
          return AnswerMade(key, making->folder.status());
        }
        OnMade(making->folder->id, *making->cli, key);
      });
}

void Tasks::OnMade(const std::string& id, const Cli& cli,
                   const std::string& key) {
  // If it may run at once, nobody has to look for its CLI again.
  found_clis_.emplace(id, cli);
  const auto task = Activate(id);
  found_clis_.erase(id);
  if (!task.ok()) return AnswerMade(key, task.status());
  // It has read its log, but for one that is slow to come.
  (*task)->Ask([](Runner&) { return absl::OkStatus(); },
               [this, key, id](const absl::Status& status) {
                 Flush();
                 AnswerMade(key, status.ok() ? Get(id) : status);
               });
}

void Tasks::AnswerMade(const std::string& key, absl::StatusOr<v1::Task> task) {
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
    answer(status.ok() ? Get(id) : status);
  });
}

absl::StatusOr<std::string> Tasks::Find(absl::string_view name) {
  if (ActiveOf(name) != nullptr || rows_.find(name) != rows_.end()) {
    return std::string(name);
  }
  RETURN_IF_ERROR(Rows().status());
  const bool latest = name == kLatest;
  if (!latest && !relay::IsTaskId(name)) return NoTask(name);
  ASSIGN_OR_RETURN(
      const std::vector<std::string> ids,
      tools_.store->WithPrefix(latest ? "" : name, latest ? 1 : kShownIds + 1));
  if (ids.empty()) {
    return latest ? absl::NotFoundError("there is no task yet") : NoTask(name);
  }
  for (const std::string& id : ids) {
    if (id == name) return id;
  }
  if (ids.size() == 1) return ids[0];
  return absl::InvalidArgumentError(absl::StrCat(
      "several tasks begin with ", name, ": ", absl::StrJoin(ids, ", ")));
}

absl::StatusOr<v1::Task> Tasks::Get(const std::string& id) {
  v1::Task task;
  if (const ActiveTask* active = ActiveOf(id)) {
    task = active->Describe();
  } else {
    ASSIGN_OR_RETURN(const auto row, RowOf(id));
    if (!row || !task.ParseFromString(row->task_pb)) return NoTask(id);
  }
  if (const auto position = queue_.Position(id)) {
    task.set_queue_position(*position);
  }
  return task;
}

absl::StatusOr<TaskStore*> Tasks::Rows() {
  Flush();
  return tools_.store;
}

std::string Tasks::TaskOfRelay(pid_t pid) const {
  for (const auto& [id, open] : open_) {
    if (open.task->runner().relay_pid() == pid) return id;
  }
  return "";
}

Tasks::Counts Tasks::counts() const {
  Counts counts = {.open = open_.size(),
                   .loading = loading_.size() + to_load_.size(),
                   .running = queue_.running(),
                   .queued = queue_.waiting()};
  for (const auto& [id, weak] : streams_) {
    if (const auto stream = weak.lock()) counts.viewers += stream->viewers();
  }
  return counts;
}

bool Tasks::idle() const {
  return open_.empty() && queue_.waiting() == 0 && making_.empty() &&
         to_load_.empty() && counts().viewers == 0;
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
