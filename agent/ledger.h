// Tracks the running tools of a conversation and whether a turn is open.
// Enforces, for all harnesses, the rules of agent/message.h that span lines:
// one ToolResult for each ToolUse, one Result for each turn, unique ids.
#ifndef TROIKA_AGENT_LEDGER_H_
#define TROIKA_AGENT_LEDGER_H_

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "agent/emitter.h"
#include "agent/message.h"
#include "agent/protocol.h"

namespace troika {

class Ledger {
 public:
  explicit Ledger(int generation) { set_generation(generation); }

  // From the second generation on, ids of new tools contain its number.
  void set_generation(int generation);

  // Emits `use` under an id that is unique in the conversation. If a tool with
  // this native id is still running, its synthetic result is emitted first.
  void StartTool(absl::string_view native_id, ToolUse use, Emitter& out);
  bool IsRunning(absl::string_view native_id) const;
  // Emits `result` for a running tool, in the context of its use. Returns false
  // and emits nothing if no such tool is running.
  [[nodiscard]] bool EndTool(absl::string_view native_id, ToolResult result,
                             Emitter& out);
  // Whether a turn ended while this tool was running: it already has a
  // synthetic result, so what its harness reports now is too late.
  bool WasAbandoned(absl::string_view native_id) const;
  // Whether a tool with this native id was started in this process.
  bool WasStarted(absl::string_view native_id) const;
  bool AnyRunning() const { return !running_.empty(); }
  // Returns our id of the latest tool with this native id; if there was none,
  // an id derived from the native one.
  std::string ToolId(absl::string_view native_id) const;

  bool turn_open() const { return turn_open_; }
  void StartTurn() { turn_open_ = true; }
  // Emits results for the tools that are still running, then `result`. Tools of
  // the subagents that the tool uses `background` started run on.
  void EndTurn(Result result, Emitter& out,
               absl::Span<const std::string> background = {});
  // Ends the stream: if a turn is open, ends it as EndTurn does, with `result`
  // marked as synthetic.
  void EndStream(Result result, Emitter& out);

 private:
  struct Running {
    std::string id;
    std::string parent_tool_use_id;
    int64_t order = 0;
  };

  std::string UniqueId(absl::string_view native_id, EventId at);
  void EndTools(absl::string_view why, bool is_error,
                absl::Span<const std::string> background, Emitter& out);

  std::string prefix_;
  absl::flat_hash_map<std::string, Running> running_;
  absl::flat_hash_set<std::string> abandoned_;
  int64_t started_ = 0;
  // Hashes of all ids given out; each tool use of a stream costs 8 bytes.
  absl::flat_hash_set<uint64_t> used_;
  // Maps native ids that were used again to their current ids.
  absl::flat_hash_map<std::string, std::string> renamed_;
  bool turn_open_ = false;
};

}  // namespace troika

#endif  // TROIKA_AGENT_LEDGER_H_
