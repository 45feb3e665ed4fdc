// Conducts a conversation in the Agent Client Protocol, version 1: JSON-RPC 2.0
// lines on the agent's stdin and stdout.
//
// - The first turn opens the connection: initialize, then session/new, or
//   session/resume, session/load or session/fork for one that goes on, its mode
//   and model. A step that fails ends the turn with the agent's error; the next
//   turn tries that step again.
// - A turn is a session/prompt and ends with its response. Turns that are asked
//   for meanwhile wait, because this wire takes no input while a turn runs.
// - Fragments of text up to the next other update are one Text or Thinking.
// - While a session is loaded, the agent repeats its history. None of that
//   becomes a message, because it was one when it happened.
// - The agent's requests are always answered: permissions by the user, all
//   others by an error, because we offer neither files nor terminals.
// - Updates that only announce possibilities give no message:
//   available_commands_update, config_option_update, session_info_update and
//   usage_update.
#ifndef TROIKA_AGENT_ACP_PARSE_H_
#define TROIKA_AGENT_ACP_PARSE_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "agent/acp/permissions.h"
#include "agent/acp/record.h"
#include "agent/acp/tool_calls.h"
#include "agent/emitter.h"
#include "agent/harness.h"
#include "agent/line_protocol.h"
#include "rpc/message.h"
#include "rpc/pending.h"

namespace troika::acp {

// Fragments are joined up to this size; the rest becomes another text.
inline constexpr size_t kMaxTextBytes = size_t{16} << 20;

// What Launch::setup_json says on this wire. Empty members are not used.
struct SessionSetup {
  std::string cwd;
  std::string resume;  // Id of the session to go on with.
  std::string mode;    // Session mode to set.
  std::string model;   // Model to set by a request.
  // Method of `authenticate`, if the agent refuses a session without.
  std::string auth_method;
  bool fork = false;  // Go on with a copy of the session `resume`.
};

std::string SetupJson(const SessionSetup& setup);
// Members that are missing or wrong stay empty.
SessionSetup ReadSetup(absl::string_view setup_json);

class AcpProtocol final : public LineProtocol {
 public:
  // `harness` chooses the table of tool names.
  AcpProtocol(const ProtocolOptions& options, Harness harness);

  // A prompt may take long; everything else is to be answered soon.
  // An agent may take long until it reads its first line (Gemini CLI 2 to 10 s
  // on a busy machine); the start timeout holds for that.
  absl::string_view waiting_for() const override {
    return waits_for_ == "session/prompt" || waits_for_ == "initialize"
               ? ""
               : absl::string_view(waits_for_);
  }

 private:
  // How far the session is opened, as far as nothing failed.
  enum class Step {
    kNew,        // Nothing was sent.
    kConnected,  // The agent is initialized.
    kOpen,       // There is a session.
    kReady,      // Its mode and model are set; it takes prompts.
  };
  // Kind of the text that fragments form.
  enum class Block { kNone, kText, kThinking };

  // parse.cc
  void OnLine(json::Value line, Emitter& out) override;
  void OnLongLine(json::Value head, Emitter& out) override;
  void OnEnd(Result result, Emitter& out) override;
  void OnRequest(const rpc::Message& request, Emitter& out);
  void OnNotification(const rpc::Message& notification, Emitter& out);
  void OnPermission(const rpc::Message& request, Emitter& out);
  // Answers a request with an error. Returns false if the agent reads too
  // little of what it is told.
  bool Refuse(const rpc::Id& id, int64_t code, absl::string_view why);
  void OnReply(const rpc::Message& reply, Emitter& out);
  void OnPromptReply(const rpc::Message& reply, Emitter& out);
  Usage UsageOf(const PromptResult& result);
  void EndPrompt(Result result, Emitter& out);

  // parse_updates.cc
  void OnUpdate(const UpdateParams& params, Emitter& out);
  void OnChunk(Block kind, json::Value update, Emitter& out);
  void OnToolCall(absl::string_view type, json::Value update, Emitter& out);
  void OnUserChunk(json::Value update, Emitter& out);
  void OnPlan(json::Value update, Emitter& out);
  void AddFragment(Block kind, absl::string_view text, Emitter& out);
  // Emits the text that the fragments so far form, if any.
  void EndBlock(Emitter& out);

  // parse_session.cc
  void OnTurnAsked(const TurnAsked& turn, Emitter& out) override;
  void OnInterruptAsked(Emitter& out) override;
  void OnAnswerGiven(const AnswerGiven& answer, Emitter& out) override;
  void OnWrittenLine(const Record& record, MessageSink sink) override;
  void OnPromptWritten(const rpc::Message& request, Emitter& out);
  void OnInitialized(json::Value result, Emitter& out);
  void OnSession(json::Value result, Emitter& out);
  // Handles the error of a request that opens the session.
  void OnOpenFailed(absl::string_view method, const rpc::Error& error,
                    Emitter& out);
  // Ends all turns that wait, because no session can be opened.
  void FailTurns(absl::string_view error, Emitter& out);
  void EndWaitingTurns(Result result, Emitter& out);
  // Sends the next request: one that opens the session, or the next prompt.
  // Does nothing if a request waits for its response, or no turn waits.
  void Proceed(Emitter& out);
  void SendSession(Emitter& out);
  void SendMode();
  void SendModel(Emitter& out);
  void SendPrompt(Emitter& out);
  // Asks the agent to end its turn, and takes back all permissions.
  void SendCancel();
  // Returns whether a request of ours waits for its response.
  bool waits() const { return !waits_for_.empty(); }
  void Call(absl::string_view method, absl::string_view params_json,
            std::string key);
  // Sends a line that answers a request of the agent.
  void Answer(std::string line);
  // Returns a key that is unique in the conversation.
  std::string Key(absl::string_view kind, int number) const;
  FieldScope Scope(absl::string_view where) const { return {drift(), where}; }

  const SessionSetup setup_;
  Step step_ = Step::kNew;
  bool mode_set_ = false;
  bool model_set_ = false;
  // Method of the request that the next step waits for; empty if none does.
  std::string waits_for_;
  rpc::Pending<> ours_;  // Our requests without a response.
  ToolCalls calls_;
  Permissions permissions_;
  std::deque<TurnAsked> turns_;  // Not sent yet.
  bool prompting_ = false;       // A prompt was sent and has no response.
  bool cancelling_ = false;      // It was asked to end.
  bool prompt_ended_ = false;    // The last prompt has a response.
  // A session was asked to be loaded, and no prompt was written since.
  bool loading_ = false;
  std::string resumed_;  // Id of the session that was asked to go on.
  // All turns were taken back, so that nobody waits for the session.
  bool abandoned_ = false;
  std::optional<Init> init_;  // Of such a session, until there is a turn.

  // What the agent said about itself.
  bool can_load_ = false;
  bool can_resume_ = false;
  bool can_fork_ = false;
  bool takes_images_ = false;
  std::string auth_methods_;
  std::string agent_version_;
  bool authenticated_ = false;
  // How the model is set, if it can be.
  enum class ModelBy { kNothing, kMethod, kOption };
  ModelBy model_by_ = ModelBy::kNothing;
  std::string model_option_;  // Id of the option.

  Block block_ = Block::kNone;
  std::string block_id_;
  std::string text_;
  std::string last_text_;  // Last text of this turn, which becomes its answer.
  std::string prompt_;     // The running turn's, which some agents repeat.

  // Counters of this process.
  int64_t requests_ = 0;
  int steps_ = 0;
  int answers_ = 0;
  int interrupts_ = 0;
  int permissions_asked_ = 0;
};

}  // namespace troika::acp

#endif  // TROIKA_AGENT_ACP_PARSE_H_
