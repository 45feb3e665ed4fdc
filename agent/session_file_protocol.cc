#include "agent/session_file_protocol.h"

#include <optional>
#include <utility>

#include "agent/discovery/native_sessions.h"

namespace troika {

void SessionFileProtocol::OnLine(json::Value line, Emitter& out) {
  const std::optional<absl::Time> time =
      SessionTime(line.Get("timestamp").StringOr(""));
  if (time) out.set_time(*time);
  OnEntry(line, out);
}

void SessionFileProtocol::BeginTurn(Emitter& out) {
  EndTurn({.reason = "the next turn began", .synthetic = true}, out);
  ledger().StartTurn();
  out.Emit(Notice{.kind = Notice::Kind::kTurnStarted});
}

void SessionFileProtocol::Say(absl::string_view text, Emitter& out) {
  last_text_ = std::string(text);
  out.Emit(Text{.text = last_text_});
}

void SessionFileProtocol::EndTurn(Result result, Emitter& out) {
  if (!ledger().turn_open()) return;
  result.text = std::exchange(last_text_, {});
  result.usage = TakeUsage();
  out.Emit(Usage(result.usage));
  ledger().EndTurn(std::move(result), out);
}

void SessionFileProtocol::SetModel(absl::string_view model, Emitter& out) {
  if (model.empty() || model == model_) return;
  model_ = std::string(model);
  out.Emit(Init{.session_id = session_id(), .model = model_});
}

void SessionFileProtocol::OnEnd(Result result, Emitter& out) {
  if (!ledger().turn_open()) {
    ledger().EndStream(std::move(result), out);
    return;
  }
  result.synthetic = true;
  EndTurn(std::move(result), out);
}

}  // namespace troika
