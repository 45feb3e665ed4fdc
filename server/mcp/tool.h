// The tools that MCP clients can call, and one call of a tool.
//
// A tool reads its arguments, asks the API for what it needs (LocalApi), and
// calls Finish() or Fail(), within the call or later. It must not block, and
// must finish within kMaxWaitSeconds.
//
//   void CallList(const ToolCallPtr& call) {
//     call->api().Get<v1::ListTasksResponse>(
//         "/api/v1/tasks", "page_size=5",
//         [call](absl::StatusOr<v1::ListTasksResponse> tasks) {
//           if (!tasks.ok()) return call->Fail(tasks.status());
//           call->Finish({.object_json = …});
//         });
//   }
#ifndef TROIKA_SERVER_MCP_TOOL_H_
#define TROIKA_SERVER_MCP_TOOL_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "agent/discovery/environment.h"
#include "mcp/protocol.h"
#include "mcp/schema.h"
#include "mcp/tool.h"
#include "server/mcp/local_api.h"
#include "server/mcp/reply.h"

namespace troika {

class McpService;

// Who calls, and from where.
struct McpCaller {
  mcp::Client client;
  // Names the client's connection: the id of its pipe or of its session. Empty
  // for a client that keeps none.
  std::string id;
  http::Peer peer;
  // Of `troika mcp`; over HTTP empty, and the server's own environment.
  std::string cwd;
  Environment environment;
  bool is_pipe = false;
  std::string toolset;  // As --toolset has it; empty: the default.
};

// Loop thread only.
class ToolCall {
 public:
  ToolCall(McpService* service, McpCaller caller, rpc::Id id,
           std::shared_ptr<McpReply> reply)
      : service_(*service),
        caller_(std::move(caller)),
        id_(std::move(id)),
        reply_(std::move(reply)) {}

  McpService& service() const { return service_; }
  const McpCaller& caller() const { return caller_; }
  const mcp::Client& client() const { return caller_.client; }
  const mcp::Arguments& args() const { return args_; }
  LocalApi api() const;
  const rpc::Id& id() const { return id_; }
  const std::shared_ptr<McpReply>& reply() const { return reply_; }

  // The key of requests that must count once, however often the call arrives;
  // empty if the client has none. `part` tells those of one call apart.
  std::string Key(absl::string_view part) const;
  // The variable of the caller as a number of at least 1, or the default.
  int64_t NumberFrom(absl::string_view variable, int64_t fallback,
                     int64_t max) const;

  // Tells the client about the progress, if it wants to know.
  void Progress(absl::string_view text);
  void Finish(const mcp::ToolResult& result);
  // Finishes with another kind of result.
  void FinishWith(absl::string_view result_json);
  // Finishes with an error that the model is shown.
  void Fail(const absl::Status& error);
  void FailWith(const rpc::Error& error);
  // Ends without a reply, because the client has cancelled it.
  void Cancel();
  // Whether nobody waits for it any more.
  bool over() const { return reply_->finished(); }
  // How long it may still last (mcp::kMaxWaitSeconds).
  absl::Duration TimeLeft() const;

  // Set by the service before the tool is called.
  struct Parts {
    mcp::Arguments args;
    std::string progress_token;   // JSON, or empty.
    std::string key;              // Of the message, from a pipe.
    std::string input_responses;  // JSON of a request that is repeated.
    std::string request_state;
  };
  void Set(Parts parts);
  const std::string& input_responses() const { return parts_.input_responses; }
  const std::string& request_state() const { return parts_.request_state; }

 private:
  McpService& service_;
  const McpCaller caller_;
  const rpc::Id id_;
  const std::shared_ptr<McpReply> reply_;
  const absl::Time began_ = absl::Now();
  mcp::Arguments args_;
  Parts parts_;
  int64_t progress_ = 0;
};
// Shared by everything that the call waits for.
using ToolCallPtr = std::shared_ptr<ToolCall>;

struct Tool {
  enum class Family { kSessions, kJobs, kOneShot };
  mcp::ToolInfo info;
  Family family = Family::kSessions;
  std::string harness;  // Empty if it is for all of them.
  std::function<void(const ToolCallPtr&)> call;
};

// Every tool there is.
const std::vector<Tool>& AllTools();

// The tools that a toolset names: "all", or a list of HARNESS, FAMILY and
// HARNESS:FAMILY with commas between them.
absl::StatusOr<std::vector<const Tool*>> ReadToolset(absl::string_view text);
// The tools without a toolset: all of Codex, and the sessions of the other
// harnesses in `installed`.
std::vector<const Tool*> DefaultTools(
    const std::vector<std::string>& installed);

}  // namespace troika

#endif  // TROIKA_SERVER_MCP_TOOL_H_
