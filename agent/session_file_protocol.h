// Base of the protocols that read the file in which a CLI keeps a session
// (Wire::kSessionFile). Such a file was written by a process that we did not
// see: nothing is ever written to it, and it does not tell the end of the last
// turn if the file ends within it.
#ifndef TROIKA_AGENT_SESSION_FILE_PROTOCOL_H_
#define TROIKA_AGENT_SESSION_FILE_PROTOCOL_H_

#include <string>

#include "absl/strings/string_view.h"
#include "agent/emitter.h"
#include "agent/line_protocol.h"
#include "agent/message.h"
#include "base/json.h"

namespace troika {

class SessionFileProtocol : public LineProtocol {
 protected:
  explicit SessionFileProtocol(const ProtocolOptions& options)
      : LineProtocol(options) {}

  // Handles a line. Its messages have the time of the line's `timestamp`.
  virtual void OnEntry(json::Value entry, Emitter& out) = 0;
  // Returns the tokens of the turn that ends, and adds them to meter().
  virtual Usage TakeUsage() = 0;

  // Begins a turn, and ends the one before if the file does not tell its end.
  void BeginTurn(Emitter& out);
  void BeginTurnIfNone(Emitter& out) {
    if (!ledger().turn_open()) BeginTurn(out);
  }
  // Emits something that the agent said, which may be the turn's answer.
  void Say(absl::string_view text, Emitter& out);
  // Adds the answer and the usage to the result. Emits nothing if no turn is
  // open.
  void EndTurn(Result result, Emitter& out);
  // Emits Init if the model is another than before.
  void SetModel(absl::string_view model, Emitter& out);

 private:
  void OnLine(json::Value line, Emitter& out) final;
  void OnEnd(Result result, Emitter& out) final;
  bool EndsWithoutResult() const final { return true; }
  void OnTurnAsked(const TurnAsked&, Emitter&) final {}

  std::string last_text_;  // Of this turn.
  std::string model_;
};

}  // namespace troika

#endif  // TROIKA_AGENT_SESSION_FILE_PROTOCOL_H_
