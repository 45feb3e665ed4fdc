#include "server/caller.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/ancestry.h"
#include "base/status_macros.h"

namespace troika {
namespace {

// How deep agents may start agents.
constexpr size_t kMaxDepth = 3;

}  // namespace

Caller CallerPolicy::CallerOf(const http::Request& request) const {
  if (request.peer.kind != http::Peer::Kind::kUnix) return {};
  const Ancestry ancestry = ReadAncestry(request.peer.pid);
  // It may be anybody's, an agent's too.
  if (!ancestry.whole()) return {.role = Caller::Role::kAgent};
  for (const ProcessInfo& ancestor : ancestry.processes) {
    if (!IsRelay(ancestor)) continue;
    const std::string task = tasks_.open().FindByRelay(ancestor.pid);
    // The guard's parent is its relay.
    if (!task.empty() || ancestor.name == "troika-relay") {
      return {.role = Caller::Role::kAgent, .task = task};
    }
  }
  return {};
}

std::string Caller::name() const {
  if (!is_agent()) return "user";
  return task.empty() ? "agent" : absl::StrCat("agent of ", task);
}

std::string Caller::OwnKey(const std::string& key) const {
  // Keys of clients have no newline (CheckKey).
  if (!is_agent() || key.empty()) return key;
  return absl::StrCat("agent of ", task, "\n", key);
}

absl::Status NotForAgents(absl::string_view what) {
  return absl::PermissionDeniedError(
      absl::StrCat("an agent may not ", what, ": its user has to"));
}

absl::StatusOr<std::optional<AgentLimits>> CallerPolicy::LimitsOf(
    const Caller& caller) const {
  if (!caller.is_agent()) return std::nullopt;
  if (caller.task.empty()) {
    return NotForAgents(
        "do this from a process whose task is not known (docs/security.md)");
  }
  // It was found by its relay, so it is open.
  const ActiveTask* const own = tasks_.open().Find(caller.task);
  if (own == nullptr) {
    return absl::UnavailableError("the agent's task has ended");
  }
  return LimitsOfTask(own->runner());
}

absl::Status CallerPolicy::CheckCreate(const Caller& caller,
                                       TaskRequest* request) const {
  if (!caller.is_agent()) return absl::OkStatus();
  if (request->budget != notes::Budget()) {
    return NotForAgents("set the budget of a task");
  }
  request->notices.clear();
  if (!request->policy_files.empty()) {
    return NotForAgents("choose the rules of a task");
  }
  LowerNative(request);
  ASSIGN_OR_RETURN(const std::optional<AgentLimits> limits, LimitsOf(caller));
  const std::string excess = limits ? ExceedsLimits(*limits, request) : "";
  if (!excess.empty()) {
    return NotForAgents(absl::StrCat("start a task with ", excess));
  }
  request->parent = caller.task;
  request->idempotency_key = caller.OwnKey(request->idempotency_key);
  return absl::OkStatus();
}

void CallerPolicy::AddParents(Line line,
                              absl::AnyInvocable<void(Line)> done) const {
  const std::string last = line.back();
  tasks_.open().Get(last, [this, line = std::move(line),
                           done = std::move(done)](
                              const absl::StatusOr<v1::Task>& task) mutable {
    if (!task.ok() || task->parent_id().empty() || line.size() > kMaxDepth) {
      return done(std::move(line));
    }
    line.push_back(task->parent_id());
    AddParents(std::move(line), std::move(done));
  });
}

void CallerPolicy::CheckDepth(const Caller& caller, Checked checked) const {
  if (!caller.is_agent()) return checked(absl::OkStatus());
  AddParents({caller.task},
             [checked = std::move(checked)](const Line& line) mutable {
               if (line.size() <= kMaxDepth) return checked(absl::OkStatus());
               checked(absl::PermissionDeniedError(absl::StrCat(
                   "agents that start agents may do so ", kMaxDepth, " deep")));
             });
}

void CallerPolicy::CheckEnd(const Caller& caller, const std::string& id,
                            Checked checked) const {
  if (!caller.is_agent()) return checked(absl::OkStatus());
  if (const auto limits = LimitsOf(caller); !limits.ok()) {
    return checked(limits.status());
  }
  AddParents({id}, [own = caller.task,
                    checked = std::move(checked)](const Line& line) mutable {
    const bool found = std::find(line.begin(), line.end(), own) != line.end();
    checked(found ? absl::OkStatus()
                  : NotForAgents("end what others have asked for"));
  });
}

absl::StatusOr<Environment> CallerPolicy::EnvironmentFor(
    const Caller& caller,
    const google::protobuf::Map<std::string, std::string>& env) const {
  // With variables of its choice (PATH, LD_PRELOAD, …) an agent would run any
  // program, and outside of its sandbox.
  if (caller.is_agent()) {
    ASSIGN_OR_RETURN(const TaskFolder own, home_.OpenTask(caller.task));
    return ReadEnvironment(own);
  }
  if (env.empty()) return environment_;
  return Environment({env.begin(), env.end()});
}

}  // namespace troika
