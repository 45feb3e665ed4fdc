#include "server/mcp/session_lookup.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "agent/registry.h"
#include "relay/log_format.h"
#include "server/mcp/pending_question.h"
#include "server/mcp/service.h"
#include "server/mcp/session_view.h"
#include "task/request.h"

namespace troika {
namespace {

using SessionTasks = std::vector<TaskStore::SessionTask>;
// Of several tasks with one session, only the newest are looked at.
constexpr size_t kMaxTasks = 20;

absl::Status NoSession(absl::string_view harness, absl::string_view session) {
  return absl::NotFoundError(absl::StrCat("sessionId: there is no session ",
                                          session, " of ", harness, "; ",
                                          harness, "_list lists them"));
}

// Calls back with the first of the tasks that is no copy of a session's file.
void FirstLiving(const ToolCallPtr& call, std::vector<std::string> ids,
                 const absl::Status& none, TaskDone done) {
  if (ids.empty()) return done(none);
  const std::string id = ids.front();
  ids.erase(ids.begin());
  call->api().Send<v1::Task>(
      "GET", absl::StrCat("/api/v1/tasks/", id), nullptr,
      [call, ids = std::move(ids), none,
       done = std::move(done)](absl::StatusOr<v1::Task> task) mutable {
        if (task.ok() && task->imported_from().empty()) {
          return done(std::move(task));
        }
        FirstLiving(call, std::move(ids), none, std::move(done));
      });
}

}  // namespace

std::string EscapedForUrl(absl::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' ||
        c == '_' || c == '.') {
      escaped.push_back(c);
    } else {
      absl::StrAppendFormat(&escaped, "%%%02X", static_cast<unsigned char>(c));
    }
  }
  return escaped;
}

namespace {

// Looks in the index, which has the tasks that have ended, too.
void SearchSessionTask(const ToolCallPtr& call, const std::string& harness,
                       const std::string& session, TaskDone done) {
  call->service().api().tasks->index().Search<SessionTasks>(
      [session](TaskStore& store) { return store.WithSessions({session}); },
      [call, harness, session,
       done = std::move(done)](absl::StatusOr<SessionTasks> found) mutable {
        if (!found.ok()) return done(found.status());
        // They come newest first; those that run come before the others.
        std::stable_partition(
            found->begin(), found->end(),
            [](const TaskStore::SessionTask& task) { return !task.ended; });
        std::vector<std::string> ids;
        for (const TaskStore::SessionTask& task : *found) {
          if (task.harness == harness && ids.size() < kMaxTasks) {
            ids.push_back(task.id);
          }
        }
        // It may be the id of a task.
        if (ids.empty() && relay::IsTaskId(session)) ids.push_back(session);
        FirstLiving(call, std::move(ids), NoSession(harness, session),
                    [call, harness, session, done = std::move(done)](
                        absl::StatusOr<v1::Task> task) mutable {
                      if (task.ok() && task->harness() != harness) {
                        task = NoSession(harness, session);
                      }
                      if (task.ok()) {
                        call->service().RememberTask(session, task->id());
                      }
                      done(std::move(task));
                    });
      });
}

}  // namespace

void FindSessionTask(const ToolCallPtr& call, const std::string& harness,
                     const std::string& session, TaskDone done) {
  const std::string known = call->service().KnownTask(session);
  if (known.empty()) {
    return call->service().api().tasks->WhenRead(
        [call, harness, session, done = std::move(done)]() mutable {
          SearchSessionTask(call, harness, session, std::move(done));
        });
  }
  call->api().Send<v1::Task>(
      "GET", absl::StrCat("/api/v1/tasks/", known), nullptr,
      [call, harness, session,
       done = std::move(done)](absl::StatusOr<v1::Task> task) mutable {
        // While it has not ended, no other task has the session.
        if (task.ok() && task->harness() == harness &&
            (SessionIdOf(*task) == session || task->id() == session) &&
            task->state() < v1::Task::done) {
          return done(std::move(task));
        }
        SearchSessionTask(call, harness, session, std::move(done));
      });
}

std::string SessionQuery(const McpCaller& caller, absl::string_view harness) {
  std::string query = absl::StrCat("harnesses=", harness);
  const Environment relevant = SessionIndex::Relevant(caller.environment);
  for (const auto& [name, value] : relevant.variables()) {
    if (value.empty()) continue;
    absl::StrAppend(
        &query, "&env=",
        EscapedForUrl(absl::StrCat(name, "=", AbsoluteFrom(caller, value))));
  }
  return query;
}

void FindNativeSession(const ToolCallPtr& call, const std::string& harness,
                       const std::string& session, SessionDone done) {
  call->api().Get<v1::ListSessionsResponse>(
      "/api/v1/sessions",
      absl::StrCat(SessionQuery(call->caller(), harness),
                   "&id=", EscapedForUrl(session)),
      [harness, session, done = std::move(done)](
          absl::StatusOr<v1::ListSessionsResponse> found) mutable {
        if (!found.ok()) return done(found.status());
        if (found->sessions().empty()) return done(NoSession(harness, session));
        done(found->sessions(0));
      });
}

std::string AbsoluteFrom(const McpCaller& caller, const std::string& path) {
  const absl::string_view home = caller.environment.Get("HOME");
  if (path == "~") return std::string(home);
  if (absl::StartsWith(path, "~/")) return absl::StrCat(home, path.substr(1));
  return PathFrom(caller.cwd, path);
}

TaskEnvironment EnvironmentOf(const ToolCallPtr& call,
                              const std::string& harness) {
  const McpCaller& caller = call->caller();
  const Environment& ours = call->service().api().policy->environment();
  Environment::Map variables = ForAgents(caller.environment).variables();
  const auto value = [&](absl::string_view name) {
    const auto it = variables.find(name);
    return it == variables.end() ? "" : it->second;
  };
  if (const std::string path = value("CODEX_CLI_PATH");
      !path.empty() && value("TROIKA_CODEX_BIN").empty()) {
    variables["TROIKA_CODEX_BIN"] = AbsoluteFrom(caller, path);
  }
  if (const std::string home = value("CODEX_HOME"); !home.empty()) {
    variables["CODEX_HOME"] = AbsoluteFrom(caller, home);
  }
  if (!caller.is_pipe) return {.environment = Environment(variables)};
  std::vector<std::string> added;
  std::vector<std::string> path =
      absl::StrSplit(value("PATH"), ':', absl::SkipEmpty());
  const size_t given = path.size();
  for (const absl::string_view folder :
       absl::StrSplit(ours.Get("PATH"), ':', absl::SkipEmpty())) {
    if (std::find(path.begin(), path.end(), folder) == path.end()) {
      path.emplace_back(folder);
    }
  }
  if (path.size() > given) {
    variables["PATH"] = absl::StrJoin(path, ":");
    added.push_back("PATH");
  }
  const auto backend = BackendById(harness);
  if (backend.ok()) {
    for (const absl::string_view name : (*backend)->login_variables) {
      if (variables.count(name) > 0 || ours.Get(name).empty()) continue;
      variables[std::string(name)] = std::string(ours.Get(name));
      added.emplace_back(name);
    }
  }
  TaskEnvironment made = {.environment = Environment(std::move(variables))};
  if (!added.empty()) {
    made.notice =
        absl::StrCat("the server added to the environment of this client: ",
                     absl::StrJoin(added, ", "));
  }
  return made;
}

std::string StatusOf(const v1::Task& task) {
  switch (task.state()) {
    case v1::Task::queued:
    case v1::Task::starting:
    case v1::Task::running:
      return "active";
    case v1::Task::awaiting_approval:
    case v1::Task::awaiting_answer:
      // An answer may be on its way to the agent.
      return HasPendingQuestion(task) ? "awaiting_approval" : "active";
    case v1::Task::failed:
      return "error";
    case v1::Task::interrupted:
    case v1::Task::cancelled:
      return "interrupted";
    default:
      break;
  }
  if (!task.has_outcome()) return "done";
  switch (task.outcome()) {
    case v1::failed:
      return "error";
    case v1::interrupted:
      return "interrupted";
    default:
      return "done";
  }
}

}  // namespace troika
