// Tracks the permissions that the agent asks for and that are not answered.
#ifndef TROIKA_AGENT_ACP_PERMISSIONS_H_
#define TROIKA_AGENT_ACP_PERMISSIONS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "agent/acp/record.h"
#include "agent/emitter.h"
#include "agent/message.h"
#include "agent/protocol.h"
#include "base/json.h"
#include "rpc/message.h"

namespace troika::acp {

// Every permission is answered or cancelled exactly once.
inline constexpr absl::string_view kCancelledJson =
    R"({"outcome":{"outcome":"cancelled"}})";

class Permissions {
 public:
  // Our answer to a request of the agent.
  struct Reply {
    rpc::Id id;
    std::string result_json;
    bool ends_turn = false;  // The turn shall be cancelled, too.
  };
  // A permission that was not given.
  struct Refused {
    std::string native_tool_id;
    std::string why;
  };

  // Whether a request with this id is open, or an answer to one is on its way.
  bool IsOpen(const rpc::Id& id) { return Find(id) != open_.end(); }
  // `approval` says what is asked, and gets its choices by `options`. Returns
  // false and emits nothing if a request with this id is open, or too many are.
  [[nodiscard]] bool Ask(const rpc::Id& id, absl::string_view native_tool_id,
                         json::Value options, Approval approval, Drift* drift,
                         Emitter& out);
  // Returns the reply for this answer; nullopt if the permission is not open or
  // already has an answer. The reason of a denial is not on this wire: it is in
  // the Approval that OnReplied emits.
  std::optional<Reply> ReplyTo(const AnswerGiven& answer);
  // Returns replies that cancel all permissions without an answer.
  std::vector<Reply> CancelAll();
  // Handles a reply that was written to the agent. Returns the tool call that
  // will not be done, if any.
  std::optional<Refused> OnReplied(const rpc::Id& id, json::Value result,
                                   Emitter& out);
  // Handles a request that the agent withdraws. Emits nothing if it is not
  // open. Without an answer, the agent still waits for a reply.
  enum class Withdrawal { kNotOpen, kAnswered, kWithoutAnswer };
  Withdrawal Withdraw(const rpc::Id& id, Emitter& out);
  // Cancels all, because nobody waits for an answer any more. Returns the ids
  // of those without an answer: the agent may still wait for a reply.
  [[nodiscard]] std::vector<rpc::Id> CloseAll(absl::string_view why,
                                              Emitter& out);

 private:
  static constexpr size_t kMaxOpen = 256;

  struct Option {
    std::string id;
    std::string choice;  // One of Approval::choices.
  };
  struct Open {
    rpc::Id id;
    std::string native_tool_id;
    Approval approval;
    std::vector<Option> options;
    bool answered = false;  // Queued, but not yet seen as written.
    // It was cancelled while its answer was queued. Until that is written, it
    // would count for another request of this id.
    bool cancelled = false;
    std::string reason;  // Reason of a denial.
  };
  using Iterator = std::vector<Open>::iterator;

  static std::vector<Option> ReadOptions(json::Value options, Drift* drift);
  static const Option* /*nullable*/ FindChoice(const Open& open,
                                               absl::string_view choice);
  static void EmitCancelled(Open& open, absl::string_view why, Emitter& out);
  Iterator Find(const rpc::Id& id);

  std::vector<Open> open_;
};

}  // namespace troika::acp

#endif  // TROIKA_AGENT_ACP_PERMISSIONS_H_
