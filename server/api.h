// The API's routes (docs/api.md), on the tasks of one state folder.
#ifndef TROIKA_SERVER_API_H_
#define TROIKA_SERVER_API_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/discovery/environment.h"
#include "base/clock.h"
#include "base/event_loop.h"
#include "base/thread_pool.h"
#include "dto/request.h"
#include "http/server.h"
#include "server/access.h"
#include "server/agent_policy.h"
#include "server/call.h"
#include "server/changes.h"
#include "server/metrics.h"
#include "server/stream_limit.h"
#include "server/tasks.h"
#include "task/home.h"

namespace troika {

// Loop thread only.
class Api {
 public:
  // Of one client.
  static constexpr int kMaxStreams = 2000;

  // All borrowed.
  struct Tools {
    EventLoop* loop = nullptr;
    ThreadPool* pool = nullptr;        // For reading logs.
    ThreadPool* probe_pool = nullptr;  // For asking CLIs.
    Tasks* tasks = nullptr;
    Changes* changes = nullptr;
    Access* access = nullptr;
    Metrics* metrics = nullptr;
    const Home* home = nullptr;
    Environment environment;  // What tasks run with that bring none.
    std::function<int64_t()> connections;  // How many are open.
  };

  explicit Api(Tools tools) : tools_(std::move(tools)) {}

  // Authenticates a request before its body is read.
  http::Admission Admit(const http::Request& head);
  // Handles a request that was admitted.
  void Handle(std::unique_ptr<http::Exchange> exchange);

  // The routes.
  void ListHarnesses(Call call);
  void ProbeHarnesses(Call call);
  void CreateTask(Call call);
  void ListTasks(Call call);
  void GetTask(Call call);
  void DeleteTask(Call call);
  void Input(Call call);
  void Respond(Call call);
  void Interrupt(Call call);
  void Stop(Call call);
  void Resume(Call call);
  void TaskEvents(Call call);
  void WholeEvent(Call call);
  void Raw(Call call);
  void AllEvents(Call call);
  void Usage(Call call);
  void Health(Call call);
  void Metrics(Call call);
  void OpenApi(Call call);

 private:
  // Who asks: the owner, or an agent of a task.
  struct Caller {
    enum class Role { kOwner, kAgent };
    Role role = Role::kOwner;
    std::string task;  // The agent's; empty: not one of ours.
  };

  Caller CallerOf(const http::Request& request) const;
  // As notes name it.
  static std::string ByName(const Caller& caller);
  static absl::Status NotForAgents(absl::string_view what);
  // What the caller's tasks may do at most; nothing: whatever they like.
  // PermissionDenied where they may do nothing.
  absl::StatusOr<std::optional<AgentLimits>> LimitsOf(
      const Caller& caller) const;
  // PermissionDenied where the caller may not ask for this. How deep agents
  // start agents is left to CheckDepth().
  absl::Status CheckCreate(const Caller& caller, TaskRequest* request) const;
  using Checked = absl::AnyInvocable<void(absl::Status)>;
  void CheckDepth(const Caller& caller, Checked checked);
  // PermissionDenied where a caller is an agent, and the task is neither its
  // own nor was asked for by it.
  void CheckEnd(const Caller& caller, const std::string& id, Checked checked);
  // Adds the parents of the last task of `line`, as many as matter to agents.
  using Line = std::vector<std::string>;
  void AddParents(Line line, absl::AnyInvocable<void(Line)> done);
  // Finds the task that the path names, or answers that there is none.
  void WithTask(
      Call call,
      absl::AnyInvocable<void(Call call, const std::string& id)> then);
  // The environment of a new task whose request carries `env`. An agent's
  // tasks get the environment of the agent's own task instead.
  absl::StatusOr<Environment> EnvironmentFor(
      const Caller& caller,
      const google::protobuf::Map<std::string, std::string>& env) const;
  // Answers with the harnesses as a task with `environment` finds them.
  void ReplyHarnesses(Call call, Environment environment);
  // Asks something of the task that the path names.
  void Ask(Call call, ActiveTask::Command command);
  // Asks for an end of that task, where the caller may.
  void AskEnd(Call call, const Caller& caller, ActiveTask::Command command);
  void MakeTask(Call call, TaskRequest request, Environment environment,
                std::vector<std::string> secrets);
  using TurnCheck = absl::Status (*)(const Runner&, const TurnRequest&);
  // Asks for a turn, where the caller may and `check` finds no fault.
  void AskTurn(Call call, const Caller& caller, TurnRequest turn,
               TurnCheck check);
  // The same, with images, which are read off the loop. `allow` says whether
  // the caller may.
  void AskTurnWithImages(
      Call call, TurnRequest turn,
      absl::AnyInvocable<absl::Status(Runner&, TurnRequest*)> allow,
      TurnCheck check);
  absl::Status GiveTurn(Runner& runner, const TurnRequest& turn,
                        TurnCheck check);
  // Answers with a stream, unless the client has too many.
  void ReplyStream(
      Call call,
      absl::FunctionRef<std::unique_ptr<http::BodySource>(http::Waker)> make);

  const Tools tools_;
  StreamLimit stream_limit_{kMaxStreams};
};

}  // namespace troika

#endif  // TROIKA_SERVER_API_H_
