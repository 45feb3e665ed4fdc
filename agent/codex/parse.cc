#include "agent/codex/parse.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "agent/codex/items.h"
#include "agent/codex/msg_events.h"
#include "agent/codex/record.h"
#include "agent/launch/version.h"
#include "agent/line_protocol.h"

namespace troika::codex {
namespace {

// The first version that continues a resumed thread's totals; older ones count
// from 0 in each process.
constexpr Version kCountsThread = {0, 78, 0};

class ExecProtocol final : public LineProtocol {
 public:
  explicit ExecProtocol(const ProtocolOptions& options)
      : LineProtocol(options),
        items_(&ledger(), options.drift),
        msg_events_(&ledger(), &meter(), options.drift),
        counts_thread_(ParseVersion(options.version) >= kCountsThread) {}

 private:
  void OnLine(json::Value value, Emitter& out) override;
  void OnTurnAsked(const TurnAsked& turn, Emitter& out) override;
  void OnEnd(Result result, Emitter& out) override;
  bool EndsWithoutResult() const override;

  void StartProcess(Emitter& out);
  void OnThread(absl::string_view id, Emitter& out);
  void OnTurnStarted(Emitter& out);
  void OnItem(absl::string_view event, json::Value item, Emitter& out);
  // Returns whether there is a turn to end; if not, emits the line as Raw. The
  // first turn may end without a turn.started.
  bool TakeTurnEnd(absl::string_view event, Emitter& out);
  void OnTurnCompleted(json::Value usage, Emitter& out);
  void OnTurnFailed(json::Value error, Emitter& out);
  void OnError(absl::string_view message, Emitter& out);

  ItemReader items_;
  MsgEvents msg_events_;
  const bool counts_thread_;
  bool process_seen_ = false;
  bool thread_seen_ = false;
  bool turn_seen_ = false;   // Whether this process has had a turn.
  bool turns_told_ = false;  // The first versions with items report no turns.
  std::string last_error_;   // Last error of this turn.
};

void ExecProtocol::OnLine(json::Value value, Emitter& out) {
  if (!value.Get("type").exists() && MsgEvents::Knows(value)) {
    if (MsgEvents::BeginsProcess(value)) StartProcess(out);
    msg_events_.OnLine(value, out);
    return;
  }
  const Line line = Read<Line>(value, {drift(), "line"});
  if (line.type == "item.completed" || line.type == "item.started" ||
      line.type == "item.updated") {
    OnItem(line.type, line.item, out);
  } else if (line.type == "turn.started") {
    OnTurnStarted(out);
  } else if (line.type == "turn.completed") {
    OnTurnCompleted(line.usage, out);
  } else if (line.type == "turn.failed") {
    OnTurnFailed(line.error, out);
  } else if (line.type == "error") {
    OnError(line.message, out);
  } else if (line.type == "thread.started") {
    OnThread(line.thread_id, out);
  } else if (line.type == "session.created") {
    OnThread(line.session_id, out);
  } else {
    ReportUnknown("type", line.type);
    out.EmitRaw(line.type);
  }
}

void ExecProtocol::OnTurnAsked(const TurnAsked& turn, Emitter& out) {
  LineProtocol::OnTurnAsked(turn, out);
  msg_events_.PromptTold();
}

void ExecProtocol::StartProcess(Emitter& out) {
  if (process_seen_) {
    // The stream of another process follows.
    OnEnd(EndResult({}), out);
    NextGeneration();
    if (msg_events_.seen()) meter().StartOver();  // It could not resume.
    msg_events_.StartProcess();
  }
  process_seen_ = true;
  turn_seen_ = false;
  turns_told_ = false;
  last_error_.clear();
}

void ExecProtocol::OnThread(absl::string_view id, Emitter& out) {
  StartProcess(out);
  // Codex silently starts a new thread if the requested one does not exist.
  const bool other = !session_id().empty() && session_id() != id;
  if (other) meter().StartOver();
  thread_seen_ = true;
  set_session_id(id);
  Init init;
  init.session_id = session_id();
  out.Emit(std::move(init));
}

void ExecProtocol::OnTurnStarted(Emitter& out) {
  if (ledger().turn_open()) OnEnd(ResultOfEnd({}), out);
  ledger().StartTurn();
  turn_seen_ = true;
  turns_told_ = true;
  last_error_.clear();
  items_.StartTurn();
  out.Emit(Notice{.kind = Notice::Kind::kTurnStarted});
}

void ExecProtocol::OnItem(absl::string_view event, json::Value item,
                          Emitter& out) {
  if (!turns_told_) {
    // Warnings may precede the turn.
    const json::Value type = item.Get("type");
    const json::Value old_type = item.Get("item_type");
    if (type.StringOr(old_type.StringOr("")) != "error") {
      ledger().StartTurn();
      turn_seen_ = true;
    }
  }
  items_.OnItem(event, item, out);
}

bool ExecProtocol::TakeTurnEnd(absl::string_view event, Emitter& out) {
  const bool taken = ledger().turn_open() || !turn_seen_;
  turn_seen_ = true;
  if (!taken) out.EmitRaw(event, "no turn is open");
  return taken;
}

void ExecProtocol::OnTurnCompleted(json::Value usage, Emitter& out) {
  if (!TakeTurnEnd("turn.completed", out)) return;
  Result result;
  result.text = items_.last_text();
  const std::optional<TokenCounts> total = ReadUsage(usage, drift());
  if (total) {
    // If totals are per process, this is the turn's: a process has one turn.
    result.usage =
        counts_thread_ ? meter().AdvanceTo(*total) : meter().AddTurn(*total);
    out.Emit(result.usage);
  } else {
    result.usage = meter().Unreported();
  }
  result.reason = "completed";
  ledger().EndTurn(std::move(result), out);
}

void ExecProtocol::OnTurnFailed(json::Value error, Emitter& out) {
  if (!TakeTurnEnd("turn.failed", out)) return;
  Result result;
  result.is_error = true;
  result.error = ErrorText(error);
  if (result.error.empty()) result.error = last_error_;
  if (result.error.empty()) result.error = "the turn failed";
  result.text = items_.last_text();
  result.reason = "failed";
  result.usage = meter().Unreported();
  ledger().EndTurn(std::move(result), out);
}

void ExecProtocol::OnError(absl::string_view message, Emitter& out) {
  last_error_ = std::string(message);
  const bool retrying = absl::StartsWith(message, "Reconnecting");
  out.Emit(
      Notice{.kind = retrying ? Notice::Kind::kRetrying : Notice::Kind::kError,
             .text = last_error_});
}

bool ExecProtocol::EndsWithoutResult() const {
  return msg_events_.EndsWithoutResult() ||
         (thread_seen_ && !turns_told_ && last_error_.empty() &&
          !ledger().AnyRunning());
}

void ExecProtocol::OnEnd(Result result, Emitter& out) {
  if (msg_events_.seen()) {
    msg_events_.OnEnd(std::move(result), out);
    return;
  }
  result.text = items_.last_text();
  result.usage = meter().Unreported();
  ledger().EndStream(std::move(result), out);
}

}  // namespace

std::unique_ptr<Protocol> NewExecProtocol(const ProtocolOptions& options) {
  return std::make_unique<ExecProtocol>(options);
}

}  // namespace troika::codex
