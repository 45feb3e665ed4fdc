// Base of the protocols whose agent prints one JSON object per line. Handles
// lines that are not JSON objects; passes the others to OnLine.
#ifndef TROIKA_AGENT_LINE_PROTOCOL_H_
#define TROIKA_AGENT_LINE_PROTOCOL_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "agent/drift.h"
#include "agent/emitter.h"
#include "agent/ledger.h"
#include "agent/protocol.h"
#include "agent/usage_meter.h"
#include "base/json.h"

namespace troika {

class LineProtocol : public Protocol {
 public:
  bool IsNoise(const Record& record) final;
  void OnReceived(const Record& record, MessageSink sink) final;
  void OnWritten(const Record& record, MessageSink sink) final;
  void OnNote(const Record& record, const Note& note, MessageSink sink) final;

  const std::vector<Outgoing>& outbox() const final { return outbox_; }
  Continuation continuation() const final;

 protected:
  explicit LineProtocol(const ProtocolOptions& options);

  // `line` is an object and valid only during the call.
  virtual void OnLine(json::Value line, Emitter& out) = 0;
  // Handles a line over kMaxLineBytes, of which `head` has the first members
  // (agent/line_head.h); it was emitted as Raw. The agent may wait for a reply.
  virtual void OnLongLine(json::Value head, Emitter& out);
  // Handles a line that was written to the agent. Protocols that send only a
  // prompt learn nothing from it.
  virtual void OnWrittenLine(const Record& record, MessageSink sink);
  // By default queues the prompt, followed by the end of input.
  virtual void OnTurnAsked(const TurnAsked& turn, Emitter& out);
  // Ends the running turn. If the wire has no request for it, the caller ends
  // the process by a signal instead.
  virtual void OnInterruptAsked(Emitter& out);
  // Queues the answer if the wire has approvals or questions.
  virtual void OnAnswerGiven(const AnswerGiven& answer, Emitter& out);
  // Ends the open tools and turn; `result` becomes the turn's synthetic result.
  virtual void OnEnd(Result result, Emitter& out) = 0;
  // Whether the wire does not report the end of a successful turn, so that a
  // clean exit of the process counts as one.
  virtual bool EndsWithoutResult() const { return false; }

  // Whether the wire repeats the prompt itself.
  virtual bool EchoesPrompt() const { return false; }

  // Returns the synthetic result for a turn that is open when the process ends.
  Result EndResult(const ProcessEnded& ended) const;

  json::Parser& parser() { return parser_; }
  Drift* /*nullable*/ drift() const { return drift_; }
  // Reports an unknown type at the path `where` of the line.
  void ReportUnknown(absl::string_view where, absl::string_view value) const {
    if (drift_) drift_->UnknownType(where, value);
  }
  Ledger& ledger() { return ledger_; }
  const Ledger& ledger() const { return ledger_; }
  UsageMeter& meter() { return meter_; }
  // Whether something may be queued for which no person asked, such as the
  // refusal of a request: an agent that reads nothing must not fill our memory.
  bool HasRoom() const;
  // Queues bytes for the agent's stdin until they are seen as written.
  void Want(Outgoing outgoing) { outbox_.push_back(std::move(outgoing)); }

  const std::string& session_id() const { return session_id_; }
  void set_session_id(absl::string_view id) { session_id_ = std::string(id); }
  int generation() const { return generation_; }
  // Called when the stream shows that another process has begun.
  void NextGeneration();

 private:
  void Written(absl::string_view key);

  Drift* const /*nullable*/ drift_;
  json::Parser parser_;
  Ledger ledger_;
  UsageMeter meter_;
  std::vector<Outgoing> outbox_;
  std::string session_id_;
  int generation_;
};

// Returns the result of a turn that was open when its process ended, for wires
// that report the end of a successful turn.
Result ResultOfEnd(const ProcessEnded& ended);

}  // namespace troika

#endif  // TROIKA_AGENT_LINE_PROTOCOL_H_
