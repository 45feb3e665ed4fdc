// The MCP server (docs/mcp.md): takes messages from HTTP and from the pipes of
// `troika mcp`, and calls the tools.
//
// It keeps nothing that a restart would lose: a client's declarations come with
// each message, and everything about tasks is in their logs.
#ifndef TROIKA_SERVER_MCP_SERVICE_H_
#define TROIKA_SERVER_MCP_SERVICE_H_

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "mcp/protocol.h"
#include "mcp/session_id.h"
#include "rpc/message.h"
#include "server/mcp/bound_tasks.h"
#include "server/mcp/event_buffer.h"
#include "server/mcp/form_asker.h"
#include "server/mcp/reply.h"
#include "server/mcp/session_limit.h"
#include "server/mcp/subscriptions.h"
#include "server/mcp/task_watch.h"
#include "server/mcp/tool.h"
#include "server/routes.h"
#include "server/viewers.h"

namespace troika {

// A request of a client that is no call of a tool.
struct McpRequest {
  McpCaller caller;
  rpc::Id id;
  std::shared_ptr<McpReply> reply;

  void Finish(absl::string_view result_json) const {
    reply->Finish(rpc::ResponseLine(id, result_json));
  }
  void Fail(int64_t code, absl::string_view message,
            std::string data_json = "") const {
    reply->Finish(rpc::ErrorLine(id, {.code = code,
                                      .message = std::string(message),
                                      .data_json = std::move(data_json)}));
  }
};

// Loop thread only.
class McpService : public McpEndpoint {
 public:
  McpService();

  // Called once, before any request. `api` is borrowed.
  void Begin(const ApiTools* api);

  absl::StatusOr<Deferred> Post(const Call& call) override;
  absl::StatusOr<Deferred> PostFromPipe(const Call& call) override;
  absl::StatusOr<Deferred> Get(const Call& call) override;
  absl::StatusOr<Deferred> Delete(const Call& call) override;

  const ApiTools& api() const { return *api_; }
  EventBuffers& buffers() { return buffers_; }
  FormAsker& asker() { return asker_; }
  TaskWaits& waits() { return waits_; }
  SessionLimit& limit() { return limit_; }
  // Whether the client keeps a stream open.
  bool HasStream(const std::string& client) const {
    const auto it = streams_.find(client);
    return it != streams_.end() && !it->second->gone();
  }
  // The task that was last found for a session, or nothing. It may have ended
  // since.
  std::string KnownTask(const std::string& session) const {
    const auto it = known_tasks_.find(session);
    return it == known_tasks_.end() ? "" : it->second;
  }
  void RememberTask(const std::string& session, const std::string& task);
  // Sends a comment to clients that have received nothing for a while.
  void SendHeartbeats() { viewers_->SendHeartbeats(); }
  // Drops what waits: for the end of the server, once it has no connections.
  void Finish();

  // Finds the tools that the caller can use.
  using ToolsCallback =
      absl::AnyInvocable<void(absl::StatusOr<std::vector<const Tool*>>)>;
  void FindTools(const McpCaller& caller, ToolsCallback found);

 private:
  absl::StatusOr<Deferred> Take(const Call& call, bool in_envelope);
  void Dispatch(const McpRequest& request, const std::string& key,
                const rpc::Message& message);
  void Notified(const McpCaller& caller, const rpc::Message& message);
  void ListTools(const McpRequest& request);
  void CallTool(const McpRequest& request, const std::string& key,
                const rpc::Message& message);
  // These return false if the generation has no such method.
  bool DispatchOfSessions(const McpRequest& request,
                          const rpc::Message& message);
  bool DispatchStateless(const McpRequest& request,
                         const rpc::Message& message);
  void Listen(const McpRequest& request, const rpc::Message& message);
  // Names the connection of a client that has a session over HTTP.
  static std::string ClientIdOf(const mcp::Session& session);
  // The id of a client as no other caller has it: the labels of tasks show the
  // ids, and an agent must not act as a client of its owner.
  std::string OwnId(const http::Request& request, const std::string& id) const;
  // The client whose session or pipe the request names. NotFound if there is
  // none.
  absl::StatusOr<McpCaller> CallerOf(const Call& call) const;
  void CloseStream(const std::string& client);
  void OnStreamGone(const std::string& client,
                    const std::weak_ptr<LineStream>& stream);
  void FollowTasksOf(const McpCaller& caller);
  // Lets the client cancel the call.
  void Remember(const ToolCallPtr& call);

  const ApiTools* api_ = nullptr;
  const std::shared_ptr<Viewers> viewers_ = std::make_shared<Viewers>();
  EventBuffers buffers_;
  // Calls that have not finished, by client and request.
  std::map<std::pair<std::string, std::string>, std::weak_ptr<ToolCall>> calls_;
  // The streams of clients, by the client's id.
  std::map<std::string, std::shared_ptr<LineStream>> streams_;
  std::map<std::string, std::string> known_tasks_;  // By session.
  FormAsker asker_;
  TaskWaits waits_;
  SessionLimit limit_;
  Subscriptions subscriptions_;
  BoundTasks bound_;
  std::set<std::string> ended_sessions_;
  std::deque<std::string> ended_order_;
};

}  // namespace troika

#endif  // TROIKA_SERVER_MCP_SERVICE_H_
