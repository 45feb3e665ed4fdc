// The dialect of `codex exec --json` before 0.42: {"id","msg":{"type":…}},
// after a line with the settings and one with the prompt.
//
// It tells the end of a turn by the end of the stream: 0.34 prints no
// task_complete, though other versions of the time do.
#ifndef TROIKA_AGENT_CODEX_MSG_EVENTS_H_
#define TROIKA_AGENT_CODEX_MSG_EVENTS_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "agent/codex/msg_record.h"
#include "agent/drift.h"
#include "agent/emitter.h"
#include "agent/ledger.h"
#include "agent/usage_meter.h"
#include "base/json.h"

namespace troika::codex {

class MsgEvents {
 public:
  // All are borrowed.
  MsgEvents(Ledger* ledger, UsageMeter* meter, Drift* /*nullable*/ drift)
      : ledger_(*ledger), meter_(*meter), drift_(drift) {}

  // Whether a line is of this dialect.
  static bool Knows(json::Value line);
  // Whether it is the one with the settings, a process's first.
  static bool BeginsProcess(json::Value line);

  void StartProcess();
  // The prompt has been told, and its line says nothing new.
  void PromptTold() { prompt_told_ = true; }
  void OnLine(json::Value line, Emitter& out);
  void OnEnd(Result result, Emitter& out);

  bool seen() const { return seen_; }
  bool EndsWithoutResult() const {
    return seen_ && last_error_.empty() && !ledger_.AnyRunning();
  }

 private:
  void OnSettings(json::Value line, Emitter& out);
  // Each is false where the message is none of its kind.
  bool OnLifecycle(const Msg& msg, Emitter& out);
  bool OnSaying(const Msg& msg, Emitter& out);
  bool OnToolBegin(const Msg& msg, Emitter& out);
  bool OnToolEnd(const Msg& msg, Emitter& out);
  bool OnReport(const Msg& msg, Emitter& out);

  void OnOutputDelta(const Msg& msg, Emitter& out);
  void EndTool(const Msg& msg, ToolResult result, Emitter& out);
  void OnPlan(const Msg& msg, Emitter& out);
  void OnTokenCount(const Msg& msg, Emitter& out);
  void FinishTurn(Result result, Emitter& out);

  Ledger& ledger_;
  UsageMeter& meter_;
  Drift* const /*nullable*/ drift_;
  bool seen_ = false;
  bool prompt_told_ = false;
  bool turn_seen_ = false;            // In this process.
  std::optional<TokenCounts> total_;  // As last told in this turn.
  // The blocks that deltas came for and whose message has not come.
  std::string text_block_;
  std::string thinking_block_;
  std::string last_text_;
  std::string last_error_;
};

}  // namespace troika::codex

#endif  // TROIKA_AGENT_CODEX_MSG_EVENTS_H_
