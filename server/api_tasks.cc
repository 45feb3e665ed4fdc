// The routes that make, show and steer tasks.
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "agent/registry.h"
#include "base/status_macros.h"
#include "dto/proto_json.h"
#include "server/api.h"
#include "server/from_request.h"
#include "server/row.h"

namespace troika {
namespace {

constexpr int kMaxDepth = 3;
constexpr int kDefaultPage = 50;
constexpr int kMaxPage = 1000;
constexpr absl::string_view kGoOn = "Go on where you stopped.";

absl::Status NotForAgents(absl::string_view what) {
  return absl::PermissionDeniedError(
      absl::StrCat("an agent may not ", what, ": its user has to"));
}

}  // namespace

absl::Status Api::CheckCreate(const Caller& caller,
                              TaskRequest* request) const {
  if (caller.role == Caller::Role::kOwner) return absl::OkStatus();
  if (caller.task.empty()) {
    return NotForAgents("start tasks here, as its own task is not known");
  }
  request->parent = caller.task;
  ASSIGN_OR_RETURN(v1::Task parent, tools_.tasks->Get(caller.task));
  const LaunchOptions& options = request->options;
  if (const std::string freer = FreerThan(parent.edit_mode(), options);
      !freer.empty()) {
    return NotForAgents(absl::StrCat("start a task with ", freer,
                                     ", as its own runs with ",
                                     v1::EditMode_Name(parent.edit_mode())));
  }
  int depth = 1;
  while (!parent.parent_id().empty() && depth <= kMaxDepth) {
    ++depth;
    auto next = tools_.tasks->Get(parent.parent_id());
    if (!next.ok()) break;
    parent = *std::move(next);
  }
  if (depth > kMaxDepth) {
    return absl::PermissionDeniedError(absl::StrCat(
        "agents that start agents may do so ", kMaxDepth, " deep"));
  }
  return absl::OkStatus();
}

void Api::CreateTask(Call call) {
  v1::CreateTaskRequest body;
  if (const absl::Status read = call.ReadBody(&body); !read.ok()) {
    return call.Fail(read);
  }
  auto request = ToTaskRequest(body);
  if (!request.ok()) return call.Fail(request.status());
  if (const absl::Status may = CheckCreate(CallerOf(call.request()), &*request);
      !may.ok()) {
    return call.Fail(may);
  }
  Environment environment =
      body.env().empty() ? tools_.environment
                         : Environment({body.env().begin(), body.env().end()});
  tools_.tasks->Create(
      *std::move(request), std::move(environment),
      [call = std::make_shared<Call>(std::move(call))](
          const absl::StatusOr<v1::Task>& task) { call->ReplyOr(task, 201); });
}

void Api::ListTasks(Call call) {
  v1::ListTasksRequest request;
  if (const absl::Status read = call.ReadQuery(&request); !read.ok()) {
    return call.Fail(read);
  }
  const int page_size =
      request.page_size() == 0 ? kDefaultPage : request.page_size();
  if (page_size < 1 || page_size > kMaxPage) {
    return call.Fail(absl::InvalidArgumentError(
        absl::StrCat("page_size must be 1 to ", kMaxPage)));
  }
  TaskFilter filter = {
      .cwd = request.cwd(),
      .labels = {request.labels().begin(), request.labels().end()},
      .text = request.text()};
  for (const int state : request.states()) {
    filter.states.push_back(
        v1::Task::State_Name(static_cast<v1::Task::State>(state)));
  }
  filter.harnesses = {request.harnesses().begin(), request.harnesses().end()};
  const bool binary = call.encoding() == Call::Encoding::kBinary;
  const auto rows = tools_.tasks->Rows();
  if (!rows.ok()) return call.Fail(rows.status());
  const auto page = (*rows)->List(
      filter,
      binary ? TaskStore::Encoding::kBinary : TaskStore::Encoding::kJson,
      page_size, request.page_token());
  if (!page.ok()) return call.Fail(page.status());
  const std::string next = page->more ? page->last_id : "";
  if (!binary) return call.ReplyJson(TasksPageJson(page->tasks, next));
  v1::ListTasksResponse response;
  for (const std::string& bytes : page->tasks) {
    v1::Task task;
    if (task.ParseFromString(bytes)) {
      *response.add_tasks() = ForList(std::move(task));
    }
  }
  response.set_next_page_token(next);
  call.Reply(response);
}

void Api::GetTask(Call call) {
  const auto id = tools_.tasks->Find(call.arg(0));
  if (!id.ok()) return call.Fail(id.status());
  call.ReplyOr(tools_.tasks->Get(*id));
}

void Api::DeleteTask(Call call) {
  if (CallerOf(call.request()).role == Caller::Role::kAgent) {
    return call.Fail(NotForAgents("delete tasks"));
  }
  const auto id = tools_.tasks->Find(call.arg(0));
  if (!id.ok()) return call.Fail(id.status());
  tools_.tasks->Delete(*id, [call = std::make_shared<Call>(std::move(call))](
                                const absl::Status& done) {
    done.ok() ? call->ReplyNothing() : call->Fail(done);
  });
}

void Api::Ask(Call call, ActiveTask::Command command) {
  const auto id = tools_.tasks->Find(call.arg(0));
  if (!id.ok()) return call.Fail(id.status());
  tools_.tasks->Ask(
      *id, std::move(command),
      [call = std::make_shared<Call>(std::move(call))](
          const absl::StatusOr<v1::Task>& task) { call->ReplyOr(task); });
}

void Api::Input(Call call) {
  v1::InputRequest body;
  if (const absl::Status read = call.ReadBody(&body); !read.ok()) {
    return call.Fail(read);
  }
  TurnRequest turn = {.prompt = body.text(),
                      .images = {body.images().begin(), body.images().end()},
                      .by = ByName(CallerOf(call.request())),
                      .request_key = body.idempotency_key()};
  Ask(std::move(call),
      [turn = std::move(turn)](Runner& runner) { return runner.Input(turn); });
}

void Api::Resume(Call call) {
  v1::ResumeRequest body;
  if (const absl::Status read = call.ReadBody(&body); !read.ok()) {
    return call.Fail(read);
  }
  const Caller caller = CallerOf(call.request());
  if (caller.role == Caller::Role::kAgent && body.has_edit_mode()) {
    return call.Fail(NotForAgents("change what another agent may do"));
  }
  TurnRequest turn = {
      .prompt = body.prompt().empty() ? std::string(kGoOn) : body.prompt(),
      .images = {body.images().begin(), body.images().end()},
      .by = ByName(caller),
      .request_key = body.idempotency_key(),
      .model = body.model()};
  if (body.has_edit_mode()) turn.edit_mode = ToEditMode(body.edit_mode());
  Ask(std::move(call), [turn = std::move(turn)](Runner& runner) {
    const bool ended = !runner.state().process_alive;
    if (!ended && (turn.request_key.empty() ||
                   turn.request_key != runner.state().last_request_key)) {
      return absl::FailedPreconditionError(
          "the task has not ended: give it input, or stop it first");
    }
    return runner.Input(turn);
  });
}

void Api::Respond(Call call) {
  if (CallerOf(call.request()).role == Caller::Role::kAgent) {
    return call.Fail(NotForAgents("answer approvals or questions"));
  }
  v1::RespondRequest body;
  absl::Status read = call.ReadBody(&body);
  if (!read.ok()) return call.Fail(read);
  auto answer = ToAnswer(body);
  if (!answer.ok()) return call.Fail(answer.status());
  Ask(std::move(call), [answer = *std::move(answer)](Runner& runner) {
    return runner.Respond(answer);
  });
}

void Api::Interrupt(Call call) {
  v1::InterruptRequest body;
  if (const absl::Status read = call.ReadBody(&body); !read.ok()) {
    return call.Fail(read);
  }
  const std::string by = ByName(CallerOf(call.request()));
  Ask(std::move(call), [by, reason = body.reason()](Runner& runner) {
    return runner.Interrupt(by, reason);
  });
}

void Api::Stop(Call call) {
  v1::StopRequest body;
  if (const absl::Status read = call.ReadBody(&body); !read.ok()) {
    return call.Fail(read);
  }
  const auto grace = GraceOf(body);
  if (!grace.ok()) return call.Fail(grace.status());
  const std::string by = ByName(CallerOf(call.request()));
  Ask(std::move(call),
      [by, reason = body.reason(), grace = *grace](Runner& runner) {
        return runner.Stop(by, reason, grace);
      });
}

std::string Api::ByName(const Caller& caller) {
  if (caller.role == Caller::Role::kOwner) return "user";
  return caller.task.empty() ? "agent" : absl::StrCat("agent of ", caller.task);
}

}  // namespace troika
