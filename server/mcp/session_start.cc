// The tools that give sessions something to do.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agent/registry.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "server/mcp/defaults.h"
#include "server/mcp/service.h"
#include "server/mcp/session_limit.h"
#include "server/mcp/session_lookup.h"
#include "server/mcp/session_tools.h"
#include "server/mcp/session_view.h"
#include "server/mcp/task_watch.h"

namespace troika {
namespace {

std::string BegunJson(const v1::Task& task, absl::string_view status,
                      const std::string& notice) {
  json::ObjectWriter writer;
  writer.String("sessionId", SessionIdOf(task))
      .String("taskId", task.id())
      .String("status", status);
  if (!notice.empty()) {
    std::string quoted;
    json::AppendQuoted(notice, &quoted);
    writer.Json("notices", absl::StrCat("[", quoted, "]"));
  }
  return writer.Take();
}

// Writes the settings of an object as KEY=VALUE, with dots between nested keys.
void AddSettings(json::Value object, const std::string& prefix,
                 google::protobuf::RepeatedPtrField<std::string>* settings) {
  for (const json::Member& member : object.members()) {
    const std::string key = absl::StrCat(prefix, member.key);
    if (member.value.IsObject() && member.value.size() > 0) {
      AddSettings(member.value, absl::StrCat(key, "."), settings);
    } else {
      settings->Add(absl::StrCat(key, "=", member.value.ToJson()));
    }
  }
}

void SetLabels(const ToolCallPtr& call, const std::string& tool,
               google::protobuf::Map<std::string, std::string>* labels) {
  (*labels)[kFamilyLabel] = "sessions";
  (*labels)[kToolLabel] = tool;
  (*labels)[kClientLabel] =
      call->client().name.empty() ? "unknown" : call->client().name;
  if (!call->caller().id.empty()) {
    (*labels)[kConnectionLabel] = call->caller().id;
  }
}

void SetApprovalTimeout(const ToolCallPtr& call, v1::Timeouts* timeouts) {
  const int64_t millis = call->NumberFrom(
      "APPROVAL_TIMEOUT_MS", absl::ToInt64Milliseconds(mcp::kApprovalTimeout),
      absl::ToInt64Milliseconds(absl::Hours(24 * 365)));
  timeouts->mutable_approval()->set_seconds(millis / 1000);
  timeouts->mutable_approval()->set_nanos(
      static_cast<int32_t>(millis % 1000 * 1000000));
}

// Sets what every task of a session tool has.
std::string Prepare(const ToolCallPtr& call, const std::string& harness,
                    const std::string& tool, v1::CreateTaskRequest* request) {
  request->set_harness(harness);
  // What the user has configured for the CLI holds.
  request->mutable_options()->set_edit_mode(v1::native);
  request->set_no_queue(true);
  SetLabels(call, tool, request->mutable_labels());
  SetApprovalTimeout(call, request->mutable_timeouts());
  request->set_idempotency_key(call->Key("task"));
  TaskEnvironment environment = EnvironmentOf(call, harness);
  for (const auto& [name, value] : environment.environment.variables()) {
    (*request->mutable_env())[name] = value;
  }
  if (!environment.notice.empty()) request->add_notices(environment.notice);
  return std::move(environment.notice);
}

// Finishes the call when the CLI has told the id of its session, or has failed
// before that.
void FinishWhenBegun(const ToolCallPtr& call, const std::string& task,
                     const std::string& notice) {
  call->service().waits().Wait(
      {.task = task,
       .at_most = call->TimeLeft(),
       .is_over =
           [call](const v1::Task& now, const TaskStream&) {
             const std::string status = StatusOf(now);
             return call->over() || !now.session_id().empty() ||
                    (status != "active" && status != "awaiting_approval");
           }},
      [call, notice](const absl::StatusOr<v1::Task>& begun,
                     TaskStream* /*nullable*/) {
        if (!begun.ok()) return call->Fail(begun.status());
        if (begun->session_id().empty() && StatusOf(*begun) != "active") {
          return call->Fail(absl::InternalError(FailureText(*begun)));
        }
        call->service().asker().Follow(call->caller(), begun->id());
        call->Finish({.object_json = BegunJson(*begun, "active", notice)});
      });
}

// Calls back with a place for a session, unless the request of that key was
// made before.
void TakePlace(const ToolCallPtr& call, const std::string& key,
               SessionLimit::Done done) {
  const int64_t max = call->NumberFrom("MAX_SESSIONS", mcp::kMaxSessions, 1000);
  McpService& service = call->service();
  if (key.empty()) return service.limit().Take(max, std::move(done));
  http::Request from;
  from.peer = call->caller().peer;
  service.api().tasks->index().Ask<std::string>(
      [key = service.api().policy->CallerOf(from).OwnKey(key)](
          BufferedTaskStore& store) { return store.ByIdempotencyKey(key); },
      [&service, max, done = std::move(done)](
          const absl::StatusOr<std::string>& made) mutable {
        if (made.ok()) return done(SessionLimit::Place());
        service.limit().Take(max, std::move(done));
      });
}

// Makes the task of a session by a request to `path`.
template <typename Request>
void Create(const ToolCallPtr& call, std::string path, Request request,
            const std::string& notice) {
  const std::string key = request.idempotency_key();
  TakePlace(call, key,
            [call, path = std::move(path), request = std::move(request),
             notice](const absl::StatusOr<SessionLimit::Place>& place) mutable {
              if (!place.ok()) return call->Fail(place.status());
              call->api().Send<v1::Task>(
                  "POST", std::move(path), &request,
                  [call, notice,
                   place = *place](const absl::StatusOr<v1::Task>& task) {
                    if (!task.ok()) return call->Fail(task.status());
                    FinishWhenBegun(call, task->id(), notice);
                  });
            });
}

void Create(const ToolCallPtr& call, v1::CreateTaskRequest request,
            const std::string& notice) {
  Create(call, "/api/v1/tasks", std::move(request), notice);
}

// Goes on with a session of which there is no task yet.
void TakeUp(const std::string& harness, const ToolCallPtr& call,
            const std::string& session, const std::string& tool,
            const std::string& prompt, bool fork) {
  FindNativeSession(
      call, harness, session, [=](const absl::StatusOr<v1::Session>& found) {
        if (!found.ok()) return call->Fail(found.status());
        if (found->cwd().empty() || found->cwd_missing()) {
          return call->Fail(absl::FailedPreconditionError(
              absl::StrCat("sessionId: the folder of session ", session,
                           found->cwd().empty()
                               ? " is not known"
                               : absl::StrCat(", ", found->cwd(), ", is gone"),
                           "; continue it with ", harness, " itself")));
        }
        v1::CreateTaskRequest request;
        const std::string notice = Prepare(call, harness, tool, &request);
        request.set_prompt(prompt);
        request.set_cwd(found->cwd());
        request.set_resume_session(session);
        request.set_fork_session(fork);
        for (const std::string& image : call->args().Strings("images")) {
          request.mutable_options()->add_images(
              AbsoluteFrom(call->caller(), image));
        }
        Create(call, std::move(request), notice);
      });
}

// Gives the session's task a turn, or a part of the one that runs.
void SendInput(const std::string& harness, const ToolCallPtr& call,
               const v1::Task& task, const SessionLimit::Place& place) {
  const mcp::Arguments& args = call->args();
  const bool steers = args.Bool("steer");
  v1::InputRequest input;
  input.set_text(args.String("message"));
  input.set_mode(steers ? v1::InputRequest::steer : v1::InputRequest::queue);
  input.set_only_if_idle(!steers);
  input.set_no_queue(true);
  input.set_idempotency_key(call->Key("input"));
  for (const std::string& image : args.Strings("images")) {
    input.add_images(AbsoluteFrom(call->caller(), image));
  }
  call->api().Send<v1::Task>(
      "POST", absl::StrCat("/api/v1/tasks/", task.id(), "/input"), &input,
      [call, harness, place](const absl::StatusOr<v1::Task>& told) {
        if (absl::StartsWith(told.status().message(), "busy:")) {
          return call->Fail(absl::FailedPreconditionError(absl::StrCat(
              "busy: a turn of session ", call->args().String("sessionId"),
              " runs; wait for its end with ", harness,
              "_status, or say it with steer: true")));
        }
        if (!told.ok()) return call->Fail(told.status());
        call->service().asker().Follow(call->caller(), told->id());
        call->Finish({.object_json = BegunJson(*told, "active", "")});
      });
}

}  // namespace

void StartSession(const std::string& harness, const ToolCallPtr& call) {
  const mcp::Arguments& args = call->args();
  v1::CreateTaskRequest request;
  const std::string notice =
      Prepare(call, harness, absl::StrCat(harness, "_start"), &request);
  request.set_prompt(args.String("prompt"));
  const std::string folder = args.Has("workingDirectory")
                                 ? args.String("workingDirectory")
                                 : call->caller().cwd;
  request.set_cwd(AbsoluteFrom(call->caller(), folder));
  if (request.cwd().empty() || request.cwd()[0] != '/') {
    return call->Fail(absl::InvalidArgumentError(
        "workingDirectory: must be an absolute path, because this client has "
        "no folder of its own"));
  }
  v1::LaunchOptions& options = *request.mutable_options();
  options.set_model(args.String("model"));
  options.set_approval_policy(args.String("approvalPolicy"));
  options.set_sandbox(args.String("sandbox"));
  if (args.Bool("fullAuto")) {
    for (const absl::string_view other : {"approvalPolicy", "sandbox"}) {
      if (args.Has(other)) {
        return call->Fail(absl::InvalidArgumentError(absl::StrCat(
            "fullAuto: leave out ", other, ", which it decides itself")));
      }
    }
    options.set_approval_policy("on-request");
    options.set_sandbox("workspace-write");
  }
  options.set_dangerously_bypass(
      args.Bool("dangerouslyBypassApprovalsAndSandbox"));
  options.set_profile(args.String("profile"));
  options.set_skip_git_check(args.Bool("skipGitRepoCheck"));
  if (args.Has("config")) {
    json::Parser parser;
    const std::string config = args.Object("config");
    if (const auto object = parser.Parse(config); object.ok()) {
      AddSettings(*object, "", options.mutable_config());
    }
  }
  for (const std::string& image : args.Strings("images")) {
    options.add_images(AbsoluteFrom(call->caller(), image));
  }
  request.set_base_instructions_text(args.String("baseInstructions"));
  request.set_output_schema_json(args.Object("outputSchema"));
  if (args.Bool("bound")) {
    if (!call->service().HasStream(call->caller().id)) {
      return call->Fail(absl::InvalidArgumentError(
          "bound: this client has no connection whose end would be seen: use "
          "troika mcp, or keep GET /mcp open"));
    }
    (*request.mutable_labels())[kBoundLabel] = "true";
  }
  Create(call, std::move(request), notice);
}

void SayToSession(const std::string& harness, const ToolCallPtr& call) {
  const std::string session = call->args().String("sessionId");
  FindSessionTask(
      call, harness, session,
      [harness, call, session](const absl::StatusOr<v1::Task>& task) {
        const mcp::Arguments& args = call->args();
        if (absl::IsNotFound(task.status())) {
          return TakeUp(harness, call, session, absl::StrCat(harness, "_say"),
                        args.String("message"), false);
        }
        if (!task.ok()) return call->Fail(task.status());
        const std::string status = StatusOf(*task);
        // A turn that runs has its place.
        if (status == "active" || status == "awaiting_approval") {
          return SendInput(harness, call, *task, {});
        }
        TakePlace(call, "",
                  [harness, call, task = *task](
                      const absl::StatusOr<SessionLimit::Place>& place) {
                    if (!place.ok()) return call->Fail(place.status());
                    SendInput(harness, call, task, *place);
                  });
      });
}

void ForkSession(const std::string& harness, const ToolCallPtr& call) {
  const std::string session = call->args().String("sessionId");
  FindSessionTask(
      call, harness, session,
      [harness, call, session](const absl::StatusOr<v1::Task>& task) {
        const mcp::Arguments& args = call->args();
        const std::string tool = absl::StrCat(harness, "_fork");
        if (absl::IsNotFound(task.status())) {
          if (args.Has("turn")) {
            return call->Fail(absl::InvalidArgumentError(
                "turn: only sessions that Troika ran can be forked at an "
                "earlier turn"));
          }
          return TakeUp(harness, call, session, tool, args.String("prompt"),
                        true);
        }
        if (!task.ok()) return call->Fail(task.status());
        v1::ForkRequest fork;
        fork.set_prompt(args.String("prompt"));
        fork.set_turn(static_cast<int32_t>(args.Int("turn")));
        SetLabels(call, tool, fork.mutable_labels());
        SetApprovalTimeout(call, fork.mutable_timeouts());
        fork.set_idempotency_key(call->Key("task"));
        Create(call, absl::StrCat("/api/v1/tasks/", task->id(), "/fork"),
               std::move(fork), "");
      });
}

}  // namespace troika
