// Tracks the agent's tool calls and makes ToolUse and ToolResult of them.
#ifndef TROIKA_AGENT_ACP_TOOL_CALLS_H_
#define TROIKA_AGENT_ACP_TOOL_CALLS_H_

#include <functional>
#include <map>
#include <set>
#include <string>

#include "absl/strings/string_view.h"
#include "agent/acp/content.h"
#include "agent/acp/record.h"
#include "agent/emitter.h"
#include "agent/harness.h"
#include "agent/ledger.h"

namespace troika::acp {

// A tool use is emitted once: with the call that announces it if that tells
// what it does, else with the next word about it, at the latest with the
// permission that is asked for it or the end of the turn. Gemini CLI announces
// no call that it asks a permission for, nor one that can't be begun.
class ToolCalls {
 public:
  // `ledger` is borrowed.
  ToolCalls(Harness harness, Ledger* ledger)
      : harness_(harness), ledger_(*ledger) {}

  // Handles an announced call.
  void OnCall(const ToolCall& call, Emitter& out);
  void OnUpdate(const ToolCall& call, Emitter& out);
  // Handles the call that a permission is asked for. Returns what is known of
  // it, valid until another function is called; null if there are too many.
  const CallFacts* /*nullable*/ OnAsked(const ToolCall& call, Emitter& out);
  // Ends a call that was not permitted: agents don't report its end, or report
  // it later, which is ignored then.
  void Deny(absl::string_view native_id, absl::string_view why, Emitter& out);
  // Emits the calls that were announced only, so that they get results.
  void OnTurnEnded(Emitter& out);

  Harness harness() const { return harness_; }

 private:
  // Bounds what an agent that begins calls without end makes us remember.
  static constexpr size_t kMaxCalls = 1024;
  static constexpr size_t kMaxBytes = size_t{64} << 20;

  struct Call {
    CallFacts facts;
    bool begun = false;
    std::string explanation;  // Text that says what it does, and no output.
  };

  // Returns null, having emitted the line as Raw, if there are too many calls,
  // or what they tell is too long. A call that ends is always found.
  Call* /*nullable*/ FindOrAdd(const ToolCall& wire, Emitter& out);
  // Bytes that are kept of all calls.
  size_t bytes() const;
  void Begin(absl::string_view native_id, Call& call, Emitter& out);
  void End(const ToolCall& wire, Emitter& out);

  const Harness harness_;
  Ledger& ledger_;
  // Calls that are announced or run, by native id.
  std::map<std::string, Call, std::less<>> calls_;
  std::set<std::string, std::less<>> denied_;  // Those of the turn.
};

}  // namespace troika::acp

#endif  // TROIKA_AGENT_ACP_TOOL_CALLS_H_
