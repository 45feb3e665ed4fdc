// Tracks the agent's open requests: permissions, and questions to the user,
// which arrive as permission requests for a tool.
#ifndef TROIKA_AGENT_CLAUDE_REQUESTS_H_
#define TROIKA_AGENT_CLAUDE_REQUESTS_H_

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "agent/claude/record.h"
#include "agent/emitter.h"
#include "agent/ledger.h"
#include "agent/message.h"
#include "agent/protocol.h"

namespace troika::claude {

// Every request is answered or cancelled exactly once.
class Requests {
 public:
  // Whether a request with this id is open, or an answer to one is on its way.
  bool IsOpen(absl::string_view request_id) const;
  // Whether too many requests are open, or their inputs are too long together.
  bool full() const;
  // Cancels the oldest request, of which there must be one, and returns the
  // agent's id of it: the agent still waits for a response.
  std::string CancelOldest(Emitter& out);
  // Emits and keeps a request whose id is not open. Later messages about it
  // have the parent that `out` has now.
  void Ask(absl::string_view request_id, const PermissionRequest& request,
           const Ledger& ledger, Emitter& out);
  // Returns our ids of the requests without an answer, oldest first.
  std::vector<std::string> OpenIds() const;
  // Handles our written response. Ignores it if the request is not open.
  void OnResponse(const ControlResponse& response, Emitter& out);
  // Returns the content of the control_response for this answer; nullopt if the
  // request is not open or already has an answer. An answer that the wire has
  // no form for denies the request, with a Notice.
  std::optional<std::string> ResponseTo(const AnswerGiven& answer,
                                        Emitter& out);
  // Returns false and emits nothing if no such request is open.
  [[nodiscard]] bool Cancel(absl::string_view request_id, Emitter& out);
  // Cancels the tool's requests: it has its result and needs no answer.
  void OnToolEnded(absl::string_view native_tool_id, Emitter& out);
  // Cancels all requests, except those of agents that work on.
  void OnTurnEnded(absl::FunctionRef<bool(absl::string_view agent)> works_on,
                   Emitter& out);
  // Cancels the requests of a subagent.
  void OnAgentEnded(absl::string_view agent, Emitter& out);
  void OnProcessEnded(Emitter& out);

 private:
  static constexpr size_t kMaxOpen = 256;
  static constexpr size_t kMaxBytes = size_t{64} << 20;

  struct Open {
    std::string id;  // The agent's, or one of ours if the agent gave none.
    std::string native_id;
    std::string native_tool_id;
    std::string agent;               // The subagent that asks; may be empty.
    std::string parent_tool_use_id;  // Of the messages about this request.
    std::variant<Approval, Question> request;
    std::string input_json;           // The input that the agent proposed.
    std::string session_permissions;  // What approve_for_session grants.
    bool answered = false;            // Queued, but not yet seen as written.
  };
  using Iterator = std::vector<Open>::iterator;

  Iterator Find(absl::string_view native_id);
  // Emits the cancellation; the caller removes the request.
  void EmitCancelled(Open open, absl::string_view why, Emitter& out);
  template <typename Predicate>
  void CancelIf(Predicate predicate, absl::string_view why, Emitter& out);

  std::vector<Open> open_;
  // Native ids of requests that were cancelled while their answers were queued.
  // Until those are written, they would count for other requests of these ids.
  std::vector<std::string> late_;
};

}  // namespace troika::claude

#endif  // TROIKA_AGENT_CLAUDE_REQUESTS_H_
