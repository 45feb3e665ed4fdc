// Handlers that make, show and delete tasks.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "config/config.h"
#include "dto/redact.h"
#include "dto/request.h"
#include "server/acp_agents.h"
#include "server/routes.h"
#include "server/secrets.h"
#include "task/fork.h"
#include "task/request.h"

namespace troika {
namespace {

constexpr int kDefaultPage = 50;
constexpr int kMaxPage = 1000;

// A ListTasksResponse of tasks that are encoded already.
std::string TasksPageJson(const std::vector<std::string>& tasks,
                          absl::string_view next_page_token) {
  return absl::StrCat("{\"tasks\":[", absl::StrJoin(tasks, ","),
                      "],\"nextPageToken\":\"", next_page_token, "\"}");
}

Reply PageReply(const TaskStore::Page& page, Encoding encoding) {
  const std::string next = page.more ? page.ids.back() : "";
  if (encoding == Encoding::kJson) {
    return Reply::Json(TasksPageJson(page.tasks, next));
  }
  v1::ListTasksResponse response;
  for (const std::string& bytes : page.tasks) {
    if (!response.add_tasks()->ParseFromString(bytes)) {
      response.mutable_tasks()->RemoveLast();
    }
  }
  response.set_next_page_token(next);
  return response;
}

}  // namespace

Deferred WithTask(
    const ApiTools& api, const Call& call,
    absl::AnyInvocable<void(const std::string&, ReplyCallback)> then) {
  return [&api, name = call.arg(0),
          then = std::move(then)](ReplyCallback reply) mutable {
    api.tasks->Find(name, [then = std::move(then), reply = std::move(reply)](
                              const absl::StatusOr<std::string>& id) mutable {
      if (!id.ok()) return reply(id.status());
      then(*id, std::move(reply));
    });
  };
}

namespace {

// An error as the client gets it, without the secrets that the client sent.
absl::Status ErrorFor(const v1::CreateTaskRequest& body,
                      const absl::Status& error) {
  const Environment sent({body.env().begin(), body.env().end()});
  return ErrorForClient(error, SecretsOf(sent, {}));
}

// Creates the task. The secrets of `sent`, which came with the request, and of
// `environment` are shown in no error.
Deferred CreateIn(const ApiTools& api, TaskRequest request, Environment sent,
                  Environment environment) {
  // Secrets are looked for only if there is an error.
  auto show = [sent = std::move(sent), environment,
               options = request.options](const absl::Status& error) {
    auto secrets = SecretsOf(sent, {});
    const auto more = SecretsOf(environment, options);
    secrets.insert(secrets.end(), more.begin(), more.end());
    return ErrorForClient(error, secrets);
  };
  return
      [&api, request = std::move(request), environment = std::move(environment),
       show = std::move(show)](ReplyCallback reply) mutable {
        api.tasks->Create(std::move(request), std::move(environment),
                          [show = std::move(show), reply = std::move(reply)](
                              absl::StatusOr<v1::Task> task) mutable {
                            if (!task.ok()) task = show(task.status());
                            reply(std::move(task));
                          });
      };
}

// Creates the task of a request whose program is known.
absl::StatusOr<Deferred> CreateKnownTask(const ApiTools& api,
                                         const Caller& caller,
                                         const v1::CreateTaskRequest& body,
                                         TaskRequest request) {
  RETURN_IF_ERROR(api.policy->CheckCreate(caller, &request));
  ASSIGN_OR_RETURN(Environment environment,
                   api.policy->EnvironmentFor(caller, body.env()));
  Deferred create =
      CreateIn(api, std::move(request),
               Environment({body.env().begin(), body.env().end()}),
               std::move(environment));
  return
      [&api, caller, create = std::move(create)](ReplyCallback reply) mutable {
        api.policy->CheckDepth(
            caller, [create = std::move(create), reply = std::move(reply)](
                        const absl::Status& may) mutable {
              may.ok() ? create(std::move(reply)) : reply(may);
            });
      };
}

// Reads the configuration first, which names the request's agent.
Deferred CreateNamedTask(const ApiTools& api, Caller caller,
                         v1::CreateTaskRequest body, TaskRequest request) {
  return [&api, caller = std::move(caller), body = std::move(body),
          request = std::move(request)](ReplyCallback reply) mutable {
    api.pools->work.RunFor<absl::StatusOr<Config>>(
        [environment = api.policy->environment()] {
          return ReadConfig(environment);
        },
        [&api, caller = std::move(caller), body = std::move(body),
         request = std::move(request), reply = std::move(reply)](
            const absl::StatusOr<Config>& config) mutable {
          if (!config.ok()) return reply(config.status());
          const absl::Status found = ResolveAcpAgent(caller, *config, &request);
          if (!found.ok()) return reply(ErrorFor(body, found));
          auto create = CreateKnownTask(api, caller, body, std::move(request));
          if (!create.ok()) return reply(create.status());
          (*std::move(create))(std::move(reply));
        });
  };
}

}  // namespace

absl::StatusOr<Deferred> CreateTask(const ApiTools& api, const Call& call) {
  v1::CreateTaskRequest body;
  RETURN_IF_ERROR(call.ReadBody(&body));
  auto request = ToTaskRequest(body);
  if (!request.ok()) return ErrorFor(body, request.status());
  const Caller caller = api.policy->CallerOf(call.request());
  if (IsAcpCommand(request->agent)) {
    const absl::Status found = ResolveAcpAgent(caller, Config(), &*request);
    if (!found.ok()) return ErrorFor(body, found);
  } else if (!request->agent.empty()) {
    return CreateNamedTask(api, caller, std::move(body), *std::move(request));
  }
  return CreateKnownTask(api, caller, body, *std::move(request));
}

absl::StatusOr<Deferred> ForkTask(const ApiTools& api, const Call& call) {
  if (api.policy->CallerOf(call.request()).is_agent()) {
    return NotForAgents("fork tasks");
  }
  v1::ForkRequest body;
  RETURN_IF_ERROR(call.ReadBody(&body));
  struct Fork {
    TaskRequest request;
    Environment environment;
  };
  return WithTask(
      api, call, [&api, body](const std::string& id, ReplyCallback reply) {
        auto fork = std::make_shared<Fork>();
        api.tasks->open().Ask(
            id,
            [fork, body](Runner& runner) -> absl::Status {
              RETURN_IF_ERROR(runner.environment().status());
              fork->environment = *runner.environment();
              ASSIGN_OR_RETURN(
                  fork->request,
                  ForkOf(runner.request(), runner.state(), body.turn()));
              return ApplyForkRequest(body, &fork->request);
            },
            [&api, fork, reply = std::move(reply)](
                const absl::StatusOr<v1::Task>& task) mutable {
              if (!task.ok()) return reply(task.status());
              CreateIn(api, std::move(fork->request), Environment(),
                       std::move(fork->environment))(std::move(reply));
            });
      });
}

absl::StatusOr<Deferred> ListTasks(const ApiTools& api, const Call& call) {
  v1::ListTasksRequest request;
  RETURN_IF_ERROR(call.ReadQuery(&request));
  const int page_size =
      request.page_size() == 0 ? kDefaultPage : request.page_size();
  if (page_size < 1 || page_size > kMaxPage) {
    return absl::InvalidArgumentError(
        absl::StrCat("page_size must be 1 to ", kMaxPage));
  }
  TaskFilter filter = {
      .harnesses = {request.harnesses().begin(), request.harnesses().end()},
      .cwd = request.cwd(),
      .labels = {request.labels().begin(), request.labels().end()},
      .text = request.text()};
  for (const int state : request.states()) {
    filter.states.push_back(
        v1::Task::State_Name(static_cast<v1::Task::State>(state)));
  }
  return
      [&api, filter = std::move(filter), encoding = call.encoding(), page_size,
       token = request.page_token()](ReplyCallback reply) mutable {
        api.tasks->index().List(
            std::move(filter), encoding, page_size, std::move(token),
            [encoding, reply = std::move(reply)](
                const absl::StatusOr<TaskStore::Page>& page) mutable {
              if (!page.ok()) return reply(page.status());
              reply(PageReply(*page, encoding));
            });
      };
}

absl::StatusOr<Deferred> GetTask(const ApiTools& api, const Call& call) {
  return WithTask(api, call,
                  [&api](const std::string& id, ReplyCallback reply) {
                    api.tasks->open().Get(id, std::move(reply));
                  });
}

absl::StatusOr<Deferred> DeleteTask(const ApiTools& api, const Call& call) {
  if (api.policy->CallerOf(call.request()).is_agent()) {
    return NotForAgents("delete tasks");
  }
  return WithTask(
      api, call, [&api](const std::string& id, ReplyCallback reply) {
        api.tasks->Delete(
            id, [reply = std::move(reply)](const absl::Status& done) mutable {
              done.ok() ? reply(Reply()) : reply(done);
            });
      });
}

}  // namespace troika
