// A protocol whose agent prints one JSON object a line. Takes care of what is
// not one; what is goes to OnLine.
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

  // `line` is an object, valid during the call.
  virtual void OnLine(json::Value line, Emitter& out) = 0;
  // A line that was written to the agent. Wires that take a prompt only have
  // nothing to learn from it.
  virtual void OnWrittenLine(const Record& record, MessageSink sink);
  // A turn is asked for: wants the prompt written, and the end after it.
  virtual void OnTurnAsked(const TurnAsked& turn, Emitter& out);
  // The turn shall end. Wires that can't be told so are ended by a signal,
  // which is not the protocol's.
  virtual void OnInterruptAsked(Emitter& out);
  // Wires that ask want it written.
  virtual void OnAnswerGiven(const AnswerGiven& answer, Emitter& out);
  // Ends what is still open; `result` is what a synthetic result would say.
  virtual void OnEnd(Result result, Emitter& out) = 0;
  // Whether the wire says nothing at the end of a good turn, so that a clean
  // end of the process is one.
  virtual bool EndsWithoutResult() const { return false; }

  // Whether the wire says the prompt again by itself.
  virtual bool EchoesPrompt() const { return false; }

  // What a synthetic result says where the process ended so.
  Result EndResult(const ProcessEnded& ended) const;

  json::Parser& parser() { return parser_; }
  Drift* /*nullable*/ drift() const { return drift_; }
  Ledger& ledger() { return ledger_; }
  const Ledger& ledger() const { return ledger_; }
  UsageMeter& meter() { return meter_; }
  // What is wanted on the agent's stdin, until it is seen written.
  void Want(Outgoing outgoing) { outbox_.push_back(std::move(outgoing)); }

  const std::string& session_id() const { return session_id_; }
  void set_session_id(absl::string_view id) { session_id_ = std::string(id); }
  int generation() const { return generation_; }
  // The stream shows that another process has begun.
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

// What a process's end means for a turn that it left open, where its wire would
// have told a good end.
Result ResultOfEnd(const ProcessEnded& ended);

}  // namespace troika

#endif  // TROIKA_AGENT_LINE_PROTOCOL_H_
