// Tracks the open requests of `codex app-server`, each of which gets exactly
// one reply, and what they ask: approvals and questions.
#ifndef TROIKA_AGENT_CODEX_APP_SERVER_REQUESTS_H_
#define TROIKA_AGENT_CODEX_APP_SERVER_REQUESTS_H_

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "agent/codex/app_server_record.h"
#include "agent/drift.h"
#include "agent/emitter.h"
#include "agent/message.h"
#include "agent/protocol.h"
#include "rpc/message.h"
#include "rpc/pending.h"

namespace troika::codex {

// What is known of the item that a request is about.
struct AskedItem {
  std::string tool_use_id;
  std::string tool_name;  // Normalized.
  std::string server;     // Of an MCP tool.
  std::string command;
  std::string cwd;
  std::string diff;                     // Of a file change.
  std::vector<std::string> paths = {};  // All files that it changes.
  // Whether no other tool can be meant.
  bool certain = true;
};

class AppServerRequests {
 public:
  // Borrows `drift`.
  AppServerRequests(int generation, Drift* /*nullable*/ drift)
      : generation_(generation), drift_(drift) {}

  // Handles a request of the server. Returns the reply if we give it at once,
  // without asking anybody: a refusal, whose reason was emitted. `item` is null
  // if the item that it is about is unknown.
  std::optional<std::string> Ask(const rpc::Message& request,
                                 const AskParams& params,
                                 const AskedItem* /*nullable*/ item,
                                 Emitter& out);
  // Returns the refusal of a request that is too long to be read; none if it
  // would count for another one.
  std::optional<std::string> RefuseLong(const rpc::Message& request,
                                        Emitter& out);
  // Handles our written reply. Ignores it if the request is not open.
  void OnReply(const rpc::Message& reply, Emitter& out);

  struct Reply {
    std::string line;
    // What the agent shall be told besides, because the wire carries no reason
    // for a refusal. Empty if there is none.
    std::string remark;
  };
  // Returns the reply for this answer; nullopt if the request is not open or
  // already has an answer. An answer that the wire can't carry becomes a
  // refusal, with a notice.
  std::optional<Reply> ReplyTo(const AnswerGiven& answer, Emitter& out);

  // The server needs no reply any more. Returns false if no such request is
  // open.
  bool Withdraw(const rpc::Id& id, absl::string_view why, Emitter& out);
  void WithdrawAll(absl::string_view why, Emitter& out);

 private:
  enum class Kind { kDecision, kPermissions, kUserInput, kToolForm, kForm };

  // A question's name and type on the wire.
  struct Field {
    std::string name;
    std::string type;  // Of a form: string, number, integer, boolean, array.
  };

  struct Open {
    Kind kind = Kind::kDecision;
    std::variant<Approval, Question> request;
    std::string permissions_json;  // As requested, for kPermissions.
    std::vector<Field> fields;
    bool answered = false;  // Queued, but not yet seen as written.
    std::string reason;     // Of the answer.
    std::string by;
    std::string via;
  };
  using Book = rpc::Pending<Open>;

  std::optional<Open> OpenOf(const rpc::Message& request,
                             const AskParams& params,
                             const AskedItem* /*nullable*/ item);
  Open Decision(const AskParams& params, const AskedItem& item,
                Approval::Kind kind) const;
  std::optional<Open> Elicitation(const AskParams& params,
                                  const AskedItem* /*nullable*/ item) const;
  Open UserInput(const AskParams& params);
  // Bytes that are kept of a request.
  static size_t BytesOf(const Open& open);
  // Emits why the request was refused and returns the reply that does so.
  std::string Refuse(const rpc::Message& request, absl::string_view why,
                     Emitter& out);
  // Returns the result of an answer; nullopt if the wire can't carry it.
  static std::optional<std::string> ResultOf(const Open& open,
                                             const AnswerGiven& answer);
  void EmitSettled(Open open, const rpc::Message& reply, Emitter& out) const;
  void EmitWithdrawn(Book::Call call, absl::string_view why, Emitter& out);
  std::vector<rpc::Id>::iterator LateAnswer(const rpc::Id& id);

  const int generation_;
  Drift* const /*nullable*/ drift_;
  int asked_ = 0;  // Requests of this process that became messages.
  Book open_;
  // Requests that were withdrawn while their answers were queued. Until those
  // are written, they would count for other requests of these ids.
  std::vector<rpc::Id> late_;
};

}  // namespace troika::codex

#endif  // TROIKA_AGENT_CODEX_APP_SERVER_REQUESTS_H_
