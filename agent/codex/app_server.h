// Conducts the conversation with `codex app-server`: JSON-RPC in both
// directions, one object per line, without the `jsonrpc` member.
//
// Properties of the wire that are handled here:
// - Ids of the server's requests start at 0 and collide with ours.
// - `error` with willRetry is not fatal; only turn/completed ends a turn.
// - Ids of messages repeat across turns, so texts and their deltas are
//   connected by ids of our own.
// - An interrupted turn leaves its command running, and reports the command
//   after the turn. The command has its synthetic result by then, and we tell
//   the server to end it.
// - A turn that ends meanwhile refuses what was to steer it; it is then sent
//   again as a turn of its own.
// - A thread can be resumed only once it had a turn, so Init is emitted with
//   the first turn.
// - A line that the server can't parse gets no reply (waiting_for).
// - The list of models may come late, from the network (0.98), so nothing waits
//   for it: what arrives after the first turn has begun is dropped.
//
// Responses and notifications that only repeat or announce what another line
// reports give no message; unknown ones become Raw.
#ifndef TROIKA_AGENT_CODEX_APP_SERVER_H_
#define TROIKA_AGENT_CODEX_APP_SERVER_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "agent/codex/app_server_record.h"
#include "agent/codex/app_server_requests.h"
#include "agent/codex/items.h"
#include "agent/emitter.h"
#include "agent/line_protocol.h"
#include "rpc/message.h"
#include "rpc/pending.h"

namespace troika::codex {

// ProtocolOptions::setup_json is {"thread":{…},"turn":{…},"fork":{…}}:
// parameters that the request that opens the thread, and each turn/start, get
// besides ours. With "fork", thread/fork opens a copy of the session.
class AppServerProtocol final : public LineProtocol {
 public:
  explicit AppServerProtocol(const ProtocolOptions& options);

  absl::string_view waiting_for() const override;

 private:
  // Something to tell the server once it can be told.
  struct Action {
    enum class Kind {
      kInput,      // Begins a turn, or steers the running one.
      kRemark,     // Steers the running turn, or is added to the next input.
      kInterrupt,  // Ends the turn that the actions before it began.
    };
    Kind kind = Kind::kInput;
    std::string input_json;  // Elements of a JSON array.
    bool may_steer = true;
    bool again = false;  // It was refused as a steer.
    std::string text;    // What the user wrote, if so.
    int turn = 0;        // TurnAsked::turn of an input that is sent first.
  };

  // A request that was written.
  struct Sent {
    std::string input_json;
    std::string text;
    bool remark = false;
  };

  // A tool that runs.
  struct OpenTool {
    AskedItem asked;
    bool is_command = false;
    bool spawns_agent = false;
  };

  void OnLine(json::Value line, Emitter& out) override;
  void OnLongLine(json::Value head, Emitter& out) override;
  void OnEnd(Result result, Emitter& out) override;

  // app_server_turns.cc: what we send, and the responses.
  void OnTurnAsked(const TurnAsked& turn, Emitter& out) override;
  void OnInterruptAsked(Emitter& out) override;
  void OnAnswerGiven(const AnswerGiven& answer, Emitter& out) override;
  void OnWrittenLine(const Record& record, MessageSink sink) override;
  void OnWrittenInput(const rpc::Message& request, absl::string_view key,
                      Emitter& out);
  void Request(absl::string_view method, absl::string_view params_json,
               const Action* /*nullable*/ action = nullptr);
  void OpenThread();
  void AskForModels();
  // Sends the actions that can be sent now, in order.
  void SendActions();
  // Returns false if there is none.
  bool MoveInterruptToFront();
  void StartTurn(const Action& action);
  void OnResponse(const rpc::Message& response, Emitter& out);
  void OnErrorResponse(const rpc::Pending<Sent>::Call& call,
                       const rpc::Error& error, Emitter& out);
  void OnThreadOpened(json::Value result, Emitter& out);
  // Ends the turn that was asked for and the process: there is no thread.
  void GiveUp(std::string error, Emitter& out);
  void OnTurnId(absl::string_view turn_id, Emitter& out);
  void EmitInit(Emitter& out);

  // app_server.cc: notifications.
  void OnNotification(const rpc::Message& message, Emitter& out);
  void OnRequest(const rpc::Message& request, Emitter& out);
  // Gives a reply for which nobody was asked, unless too many wait already.
  void Reply(std::string line);
  void OnTurnStarted(const Params& params, Emitter& out);
  void OnTurnCompleted(const Params& params, Emitter& out);
  void OnError(const Params& params, Emitter& out);
  void OnThreadStarted(const Params& params);
  void OnDiff(const Params& params, Emitter& out);
  void OnPlan(const Params& params, Emitter& out);
  void OnRateLimits(const Params& params, Emitter& out);
  // Returns whether `method` was one of the notices.
  bool OnNotice(absl::string_view method, const Params& params, Emitter& out);

  // app_server_items.cc
  void OnItem(absl::string_view event, const Params& params, Emitter& out);
  void OnTool(absl::string_view event, const Params& params, Item item,
              Emitter& out);
  // Bytes that are kept of all tools.
  size_t tool_bytes() const;
  // The changes of an edit as a diff, or a text that says why it is not kept.
  std::string DiffToKeep(json::Value changes) const;
  void OnUserMessage(const Item& item, Emitter& out);
  // Returns whether `method` was one of the deltas.
  bool OnDelta(absl::string_view method, const Params& params, Emitter& out);
  // Makes the messages of another thread those of the subagent's tool use.
  void SetParent(absl::string_view thread_id, Emitter& out) const;
  // The key of an item in the ledger and in tools_.
  std::string ToolKey(absl::string_view thread_id,
                      absl::string_view item_id) const;
  std::string BlockKey(const Params& params, absl::string_view item_id) const;
  // Returns the id that the block's deltas had, if any, and forgets it.
  std::string TakeBlock(const std::string& key);

  bool IsOurs(absl::string_view thread_id) const {
    return thread_id.empty() || thread_id_.empty() || thread_id == thread_id_;
  }

  ItemReader items_;
  AppServerRequests requests_;
  const std::string resume_session_;
  std::string thread_params_;  // Members of a JSON object, or empty.
  std::string turn_params_;
  // Whether the user's settings decide which sandbox the thread has.
  bool own_sandbox_ = false;
  // The same of thread/fork; unset: no fork.
  std::optional<std::string> fork_params_;

  rpc::Pending<Sent> ours_;
  int64_t last_id_ = 0;  // Of our requests.
  int answers_ = 0;
  int replies_ = 0;

  std::string thread_id_;
  std::optional<Init> init_;         // Until the first turn.
  std::vector<std::string> models_;  // Until then, too.
  std::deque<Action> actions_;
  std::string remarks_;         // For the next input; as Action::input_json.
  bool turn_starting_ = false;  // turn/start was queued and not yet answered.
  bool interrupting_ = false;
  std::string turn_id_;  // Of the running turn.
  // Whether turn/started has announced it. Before that, the server knows of no
  // turn that it could interrupt or steer (0.166.0).
  bool turn_announced_ = false;
  std::string ended_turn_;        // The last turn that ended.
  std::deque<uint64_t> written_;  // Hashes of prompts without an echo so far.

  absl::flat_hash_map<std::string, OpenTool> tools_;  // By ToolKey().
  std::map<std::string, std::string> blocks_;  // Block ids by BlockKey().
  // Tool uses that started the agents of other threads, by thread.
  std::map<std::string, std::string> agents_;
  std::optional<TokenCounts> total_;
  std::string last_error_;  // Of this turn.
  std::string last_diff_;
  std::string last_limits_;
};

std::unique_ptr<Protocol> NewAppServerProtocol(const ProtocolOptions& options);

}  // namespace troika::codex

#endif  // TROIKA_AGENT_CODEX_APP_SERVER_H_
