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
#include "rpc/message.h"
#include "server/mcp/event_buffer.h"
#include "server/mcp/form_asker.h"
#include "server/mcp/reply.h"
#include "server/mcp/tool.h"
#include "server/routes.h"
#include "server/viewers.h"

namespace troika {

// Loop thread only.
class McpService : public McpEndpoint {
 public:
  McpService();

  // Called once, before any request. `api` is borrowed.
  void Begin(const ApiTools* api) { api_ = api; }

  absl::StatusOr<Deferred> Post(const Call& call) override;
  absl::StatusOr<Deferred> PostFromPipe(const Call& call) override;
  absl::StatusOr<Deferred> Get(const Call& call) override;
  absl::StatusOr<Deferred> Delete(const Call& call) override;

  const ApiTools& api() const { return *api_; }
  EventBuffers& buffers() { return buffers_; }
  FormAsker& asker() { return asker_; }
  // Whether the client keeps a stream open.
  bool HasStream(const std::string& client) const {
    return streams_.find(client) != streams_.end();
  }
  // Sends a comment to clients that have received nothing for a while.
  void SendHeartbeats() { viewers_->SendHeartbeats(); }

  // Finds the tools that the caller can use.
  using ToolsCallback =
      absl::AnyInvocable<void(absl::StatusOr<std::vector<const Tool*>>)>;
  void FindTools(const McpCaller& caller, ToolsCallback found);

 private:
  // A message on its way to its reply.
  struct Incoming {
    McpCaller caller;
    rpc::Id id;
    std::string method;
    std::string body;  // The bytes that hold the message.
    std::string key;   // Of a pipe.
    bool in_envelope = false;
    std::shared_ptr<McpReply> reply;
  };

  absl::StatusOr<Deferred> Take(const Call& call, bool in_envelope);
  void Dispatch(Incoming incoming, const rpc::Message& message);
  void Notified(const McpCaller& caller, const rpc::Message& message);
  void ListTools(const Incoming& incoming);
  void CallTool(const Incoming& incoming, const rpc::Message& message);
  void RunTool(const Tool& tool, const ToolCallPtr& call);

  const ApiTools* api_ = nullptr;
  const std::shared_ptr<Viewers> viewers_ = std::make_shared<Viewers>();
  EventBuffers buffers_;
  // Calls that have not finished, by client and request.
  std::map<std::pair<std::string, std::string>, std::weak_ptr<ToolCall>> calls_;
  // The streams of clients, by the client's id.
  std::map<std::string, std::shared_ptr<LineStream>> streams_;
  FormAsker asker_;
  std::set<std::string> ended_sessions_;
  std::deque<std::string> ended_order_;
};

}  // namespace troika

#endif  // TROIKA_SERVER_MCP_SERVICE_H_
