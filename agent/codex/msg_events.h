// Handles the dialect of `codex exec --json` before 0.42:
// {"id","msg":{"type":…}}, after a line of settings and one of the prompt.
//
// The end of the stream ends the turn: 0.34 prints no task_complete, although
// other versions of that time do.
#ifndef TROIKA_AGENT_CODEX_MSG_EVENTS_H_
#define TROIKA_AGENT_CODEX_MSG_EVENTS_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "agent/codex/record.h"
#include "agent/drift.h"
#include "agent/emitter.h"
#include "agent/ledger.h"
#include "agent/usage_meter.h"
#include "base/json.h"

namespace troika::codex {

class MsgEvents {
 public:
  // Borrows all arguments.
  MsgEvents(Ledger* ledger, UsageMeter* meter, Drift* /*nullable*/ drift)
      : ledger_(*ledger), meter_(*meter), drift_(drift) {}

  // Whether a line belongs to this dialect.
  static bool Knows(json::Value line);
  // Whether the line is the one with the settings, which a process begins with.
  static bool BeginsProcess(json::Value line);

  void StartProcess();
  // Makes OnLine ignore the prompt's line, as UserInput was emitted.
  void PromptTold() { prompt_told_ = true; }
  void OnLine(json::Value line, Emitter& out);
  void OnEnd(Result result, Emitter& out);

  bool seen() const { return seen_; }
  bool EndsWithoutResult() const {
    return seen_ && last_error_.empty() && !ledger_.AnyRunning();
  }

 private:
  void OnSettings(json::Value line, Emitter& out);
  // Each returns false if the message is not of its kind.
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
  bool turn_seen_ = false;            // Whether this process has had a turn.
  std::optional<TokenCounts> total_;  // Latest total in this turn.
  // Ids of the blocks whose deltas came without the final message so far.
  std::string text_block_;
  std::string thinking_block_;
  std::string last_text_;
  std::string last_error_;
};

}  // namespace troika::codex

#endif  // TROIKA_AGENT_CODEX_MSG_EVENTS_H_
