// The routes that make, show and steer tasks.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "agent/registry.h"
#include "base/status_macros.h"
#include "dto/proto_json.h"
#include "dto/redact.h"
#include "dto/request.h"
#include "server/agent_policy.h"
#include "server/api.h"
#include "server/secrets.h"
#include "task/request.h"

namespace troika {
namespace {

// A ListTasksResponse of tasks that are encoded already.
std::string TasksPageJson(const std::vector<std::string>& tasks,
                          absl::string_view next_page_token) {
  return absl::StrCat("{\"tasks\":[", absl::StrJoin(tasks, ","),
                      "],\"nextPageToken\":\"", next_page_token, "\"}");
}

constexpr int kDefaultPage = 50;
constexpr int kMaxPage = 1000;
constexpr absl::string_view kGoOn = "Go on where you stopped.";

absl::Status CheckEnded(const Runner& runner, const TurnRequest& turn) {
  const bool ended = !runner.state().process_alive;
  if (!ended && (turn.request_key.empty() ||
                 turn.request_key != runner.state().last_request_key)) {
    return absl::FailedPreconditionError(
        "the task has not ended: give it input, or stop it first");
  }
  return absl::OkStatus();
}

}  // namespace

void Api::CreateTask(Call call) {
  v1::CreateTaskRequest body;
  if (const absl::Status read = call.ReadBody(&body); !read.ok()) {
    return call.Fail(read);
  }
  auto secrets =
      SecretsOf(Environment({body.env().begin(), body.env().end()}), {});
  auto request = ToTaskRequest(body);
  if (!request.ok()) {
    return call.Fail(ErrorForClient(request.status(), secrets));
  }
  const Caller caller = CallerOf(call.request());
  if (const absl::Status may = CheckCreate(caller, &*request); !may.ok()) {
    return call.Fail(may);
  }
  auto environment = EnvironmentFor(caller, body.env());
  if (!environment.ok()) return call.Fail(environment.status());
  // Of an agent's request both environments may be secret.
  const auto more = SecretsOf(*environment, request->options);
  secrets.insert(secrets.end(), more.begin(), more.end());
  CheckDepth(caller,
             [this, call = std::move(call), request = *std::move(request),
              environment = *std::move(environment),
              secrets = std::move(secrets)](const absl::Status& may) mutable {
               if (!may.ok()) return call.Fail(may);
               MakeTask(std::move(call), std::move(request),
                        std::move(environment), std::move(secrets));
             });
}

void Api::MakeTask(Call call, TaskRequest request, Environment environment,
                   std::vector<std::string> secrets) {
  tools_.tasks->Create(
      std::move(request), std::move(environment),
      [call = std::make_shared<Call>(std::move(call)),
       secrets = std::move(secrets)](const absl::StatusOr<v1::Task>& task) {
        if (task.ok()) return call->Reply(*task, 201);
        call->Fail(ErrorForClient(task.status(), secrets));
      });
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
  tools_.tasks->index().List(
      std::move(filter),
      binary ? TaskStore::Encoding::kBinary : TaskStore::Encoding::kJson,
      page_size, request.page_token(),
      [call = std::move(call),
       binary](const absl::StatusOr<TaskStore::Page>& page) mutable {
        if (!page.ok()) return call.Fail(page.status());
        const std::string next = page->more ? page->ids.back() : "";
        if (!binary) return call.ReplyJson(TasksPageJson(page->tasks, next));
        v1::ListTasksResponse response;
        for (const std::string& bytes : page->tasks) {
          if (!response.add_tasks()->ParseFromString(bytes)) {
            response.mutable_tasks()->RemoveLast();
          }
        }
        response.set_next_page_token(next);
        call.Reply(response);
      });
}

void Api::GetTask(Call call) {
  WithTask(std::move(call), [this](Call call, const std::string& id) {
    tools_.tasks->open().Get(
        id,
        [call = std::move(call)](const absl::StatusOr<v1::Task>& task) mutable {
          call.ReplyOr(task);
        });
  });
}

void Api::DeleteTask(Call call) {
  if (CallerOf(call.request()).role == Caller::Role::kAgent) {
    return call.Fail(NotForAgents("delete tasks"));
  }
  WithTask(std::move(call), [this](Call call, const std::string& id) {
    tools_.tasks->Delete(
        id, [call = std::move(call)](const absl::Status& done) mutable {
          done.ok() ? call.ReplyNothing() : call.Fail(done);
        });
  });
}

void Api::Ask(Call call, ActiveTask::Command command) {
  WithTask(std::move(call), [this, command = std::move(command)](
                                Call call, const std::string& id) mutable {
    tools_.tasks->open().Ask(
        id, std::move(command),
        [call = std::move(call)](const absl::StatusOr<v1::Task>& task) mutable {
          call.ReplyOr(task);
        });
  });
}

void Api::AskEnd(Call call, const Caller& caller, ActiveTask::Command command) {
  WithTask(std::move(call), [this, caller, command = std::move(command)](
                                Call call, const std::string& id) mutable {
    CheckEnd(caller, id,
             [this, call = std::move(call),
              command = std::move(command)](const absl::Status& may) mutable {
               if (!may.ok()) return call.Fail(may);
               Ask(std::move(call), std::move(command));
             });
  });
}

void Api::AskTurn(Call call, const Caller& caller, TurnRequest turn,
                  TurnCheck check) {
  auto limits = LimitsOf(caller);
  if (!limits.ok()) return call.Fail(limits.status());
  // Paths of an agent's images are replaced by what they lead to.
  auto allow = [limits = *std::move(limits)](Runner& runner,
                                             TurnRequest* asked) {
    const std::string excess =
        limits ? TurnExceedsLimits(*limits, runner, asked) : "";
    if (excess.empty()) return absl::OkStatus();
    return NotForAgents(absl::StrCat("prompt a task with ", excess));
  };
  if (!turn.images.empty()) {
    return AskTurnWithImages(std::move(call), std::move(turn), std::move(allow),
                             check);
  }
  Ask(std::move(call),
      [this, allow = std::move(allow), turn = std::move(turn),
       check](Runner& runner) mutable -> absl::Status {
        RETURN_IF_ERROR(allow(runner, &turn));
        return GiveTurn(runner, turn, check);
      });
}

absl::Status Api::GiveTurn(Runner& runner, const TurnRequest& turn,
                           TurnCheck check) {
  RETURN_IF_ERROR(check(runner, turn));
  const bool again = !turn.request_key.empty() &&
                     turn.request_key == runner.state().last_request_key;
  if (!runner.state().process_alive && !again) {
    RETURN_IF_ERROR(tools_.tasks->CheckQueue());
  }
  return runner.Input(turn);
}

void Api::AskTurnWithImages(
    Call call, TurnRequest turn,
    absl::AnyInvocable<absl::Status(Runner&, TurnRequest*)> allow,
    TurnCheck check) {
  // Goes from the loop to a thread that reads the images, and back.
  struct Images {
    Call call;
    TurnRequest turn;
    std::vector<std::string> paths;
    const Backend* backend = nullptr;
  };
  using ImagesOr = absl::StatusOr<std::vector<TurnAsked::Image>>;
  WithTask(std::move(call), [this, turn = std::move(turn),
                             allow = std::move(allow),
                             check](Call call, const std::string& id) mutable {
    auto images = std::make_shared<Images>(
        Images{.call = std::move(call), .turn = std::move(turn)});
    auto give = [this, images, check](ImagesOr read) {
      if (!read.ok()) return images->call.Fail(read.status());
      images->turn.read_images = *std::move(read);
      Ask(std::move(images->call), [this, images, check](Runner& runner) {
        return GiveTurn(runner, images->turn, check);
      });
    };
    tools_.tasks->open().Ask(
        id,
        [images,
         allow = std::move(allow)](Runner& runner) mutable -> absl::Status {
          RETURN_IF_ERROR(allow(runner, &images->turn));
          images->paths = runner.ImagePaths(images->turn);
          ASSIGN_OR_RETURN(images->backend,
                           BackendById(runner.request().harness));
          return absl::OkStatus();
        },
        [this, images, give](const absl::StatusOr<v1::Task>& task) {
          if (!task.ok()) return images->call.Fail(task.status());
          tools_.pool->RunFor<ImagesOr>(
              [images] { return ReadImages(images->paths, *images->backend); },
              give);
        });
  });
}

void Api::Input(Call call) {
  v1::InputRequest body;
  if (const absl::Status read = call.ReadBody(&body); !read.ok()) {
    return call.Fail(read);
  }
  if (const absl::Status key = CheckKey(body.idempotency_key()); !key.ok()) {
    return call.Fail(key);
  }
  const auto timeouts = ToTimeouts(body.timeouts());
  if (!timeouts.ok()) return call.Fail(timeouts.status());
  const Caller caller = CallerOf(call.request());
  AskTurn(std::move(call), caller,
          {.prompt = body.text(),
           .images = {body.images().begin(), body.images().end()},
           .by = ByName(caller),
           .request_key = body.idempotency_key(),
           .timeouts = *timeouts},
          [](const Runner&, const TurnRequest&) { return absl::OkStatus(); });
}

void Api::Resume(Call call) {
  v1::ResumeRequest body;
  if (const absl::Status read = call.ReadBody(&body); !read.ok()) {
    return call.Fail(read);
  }
  if (const absl::Status key = CheckKey(body.idempotency_key()); !key.ok()) {
    return call.Fail(key);
  }
  const Caller caller = CallerOf(call.request());
  if (caller.role == Caller::Role::kAgent && body.has_edit_mode()) {
    return call.Fail(NotForAgents("change what another agent may do"));
  }
  const auto timeouts = ToTimeouts(body.timeouts());
  if (!timeouts.ok()) return call.Fail(timeouts.status());
  TurnRequest turn = {
      .prompt = body.prompt().empty() ? std::string(kGoOn) : body.prompt(),
      .images = {body.images().begin(), body.images().end()},
      .by = ByName(caller),
      .request_key = body.idempotency_key(),
      .model = body.model(),
      .timeouts = *timeouts};
  if (body.has_edit_mode()) turn.edit_mode = ToEditMode(body.edit_mode());
  AskTurn(std::move(call), caller, std::move(turn), CheckEnded);
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
  const Caller caller = CallerOf(call.request());
  const std::string by = ByName(caller);
  AskEnd(std::move(call), caller, [by, reason = body.reason()](Runner& runner) {
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
  const Caller caller = CallerOf(call.request());
  const std::string by = ByName(caller);
  AskEnd(std::move(call), caller,
         [by, reason = body.reason(), grace = *grace](Runner& runner) {
           return runner.Stop(by, reason, grace);
         });
}

}  // namespace troika
