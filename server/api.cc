#include "server/api.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/ancestry.h"
#include "base/status_macros.h"
#include "server/routes.h"

namespace troika {
namespace {

// Of agents that start agents.
constexpr size_t kMaxDepth = 3;

http::Response NotAllowed(const http::Request& request, const Match& match) {
  const std::string methods = absl::StrJoin(match.methods, ", ");
  http::Response response =
      ErrorResponse(request, 405, absl::StrCat("this path takes ", methods));
  response.headers.emplace_back("Allow", methods);
  return response;
}

// A form of another page could send the other types without being asked.
bool IsKnownBody(const http::Request& request) {
  if (request.body.empty()) return true;
  const absl::string_view type = request.Header("content-type");
  const std::string name = absl::AsciiStrToLower(
      absl::StripAsciiWhitespace(type.substr(0, type.find(';'))));
  return name == "application/json" || name == "application/x-protobuf";
}

}  // namespace

http::Admission Api::Admit(const http::Request& head) {
  const Match match = MatchRoute(head.method, head.path);
  const Access::Need need =
      match.route != nullptr ? match.route->need : Access::Need::kToken;
  tools_.metrics->CountRequest(
      match.route != nullptr
          ? absl::StrCat(match.route->method, " ", match.route->path)
          : "other");
  const absl::Status access = tools_.access->Check(head, need);
  if (!access.ok()) {
    return {.level = http::Admission::Level::kRefused,
            .refusal = ErrorResponse(head, access)};
  }
  return {.level = need == Access::Need::kNothing
                       ? http::Admission::Level::kAnonymous
                       : http::Admission::Level::kTrusted};
}

void Api::Handle(std::unique_ptr<http::Exchange> exchange) {
  const http::Request& request = exchange->request();
  Match match = MatchRoute(request.method, request.path);
  if (match.route == nullptr && !match.methods.empty()) {
    return exchange->Reply(NotAllowed(request, match));
  }
  if (match.route == nullptr) {
    return exchange->Reply(ErrorResponse(
        request, 404,
        "there is nothing at this path: GET /openapi.json lists what "
        "there is"));
  }
  if (!IsKnownBody(request)) {
    return exchange->Reply(
        ErrorResponse(request, 415,
                      "send the body as Content-Type: application/json, or "
                      "application/x-protobuf"));
  }
  if (const absl::Status known = CheckParameters(*match.route, request.query);
      !known.ok()) {
    return exchange->Reply(ErrorResponse(request, known));
  }
  const auto handle = match.route->handle;
  (this->*handle)(Call(std::move(exchange), std::move(match.args)));
}

Api::Caller Api::CallerOf(const http::Request& request) const {
  if (request.peer.kind != http::Peer::Kind::kUnix) return {};
  const auto ancestors = AncestorsOf(request.peer.pid);
  // It may be anybody's, an agent's too.
  if (!ancestors) return {.role = Caller::Role::kAgent};
  for (const Ancestor& ancestor : *ancestors) {
    if (!IsRelay(ancestor)) continue;
    const std::string task = tools_.tasks->open().FindByRelay(ancestor.pid);
    // The guard's parent is its relay.
    if (!task.empty() || ancestor.name == "troika-relay") {
      return {.role = Caller::Role::kAgent, .task = task};
    }
  }
  return {};
}

std::string Api::ByName(const Caller& caller) {
  if (caller.role == Caller::Role::kOwner) return "user";
  return caller.task.empty() ? "agent" : absl::StrCat("agent of ", caller.task);
}

absl::Status Api::NotForAgents(absl::string_view what) {
  return absl::PermissionDeniedError(
      absl::StrCat("an agent may not ", what, ": its user has to"));
}

absl::StatusOr<std::optional<AgentLimits>> Api::LimitsOf(
    const Caller& caller) const {
  if (caller.role == Caller::Role::kOwner) return std::nullopt;
  if (caller.task.empty()) {
    return NotForAgents(
        "do this from a process whose task is not known (docs/security.md)");
  }
  // It was found by its relay, so it is open.
  const ActiveTask* const own = tools_.tasks->open().Find(caller.task);
  if (own == nullptr) {
    return absl::UnavailableError("the agent's task has ended");
  }
  return LimitsOfTask(own->runner());
}

absl::Status Api::CheckCreate(const Caller& caller,
                              TaskRequest* request) const {
  if (caller.role == Caller::Role::kOwner) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::optional<AgentLimits> limits, LimitsOf(caller));
  const std::string excess = limits ? ExceedsLimits(*limits, request) : "";
  if (!excess.empty()) {
    return NotForAgents(absl::StrCat("start a task with ", excess));
  }
  request->parent = caller.task;
  return absl::OkStatus();
}

void Api::AddParents(Line line, absl::AnyInvocable<void(Line)> done) {
  const std::string last = line.back();
  tools_.tasks->open().Get(
      last, [this, line = std::move(line), done = std::move(done)](
                const absl::StatusOr<v1::Task>& task) mutable {
        if (!task.ok() || task->parent_id().empty() ||
            line.size() > kMaxDepth) {
          return done(std::move(line));
        }
        line.push_back(task->parent_id());
        AddParents(std::move(line), std::move(done));
      });
}

void Api::CheckDepth(const Caller& caller, Checked checked) {
  if (caller.role == Caller::Role::kOwner) return checked(absl::OkStatus());
  AddParents({caller.task},
             [checked = std::move(checked)](const Line& line) mutable {
               if (line.size() <= kMaxDepth) return checked(absl::OkStatus());
               checked(absl::PermissionDeniedError(absl::StrCat(
                   "agents that start agents may do so ", kMaxDepth, " deep")));
             });
}

void Api::CheckEnd(const Caller& caller, const std::string& id,
                   Checked checked) {
  if (caller.role == Caller::Role::kOwner) return checked(absl::OkStatus());
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

void Api::WithTask(
    Call call,
    absl::AnyInvocable<void(Call call, const std::string& id)> then) {
  const std::string name = call.arg(0);
  tools_.tasks->Find(name, [call = std::move(call), then = std::move(then)](
                               const absl::StatusOr<std::string>& id) mutable {
    if (!id.ok()) return call.Fail(id.status());
    then(std::move(call), *id);
  });
}

absl::StatusOr<Environment> Api::EnvironmentFor(
    const Caller& caller,
    const google::protobuf::Map<std::string, std::string>& env) const {
  // With variables of its choice (PATH, LD_PRELOAD, …) an agent would run any
  // program, and outside of its sandbox.
  if (caller.role == Caller::Role::kAgent) {
    ASSIGN_OR_RETURN(const TaskFolder own, tools_.home->OpenTask(caller.task));
    return ReadEnvironment(own);
  }
  if (env.empty()) return tools_.environment;
  return Environment({env.begin(), env.end()});
}

}  // namespace troika
