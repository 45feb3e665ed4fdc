// Keeps the books of a conversation: which tools run, whether a turn does.
//
// The rules of agent/message.h that span lines are kept here, for all
// harnesses: one ToolResult for each ToolUse, one Result for each turn, unique
// ids.
#ifndef TROIKA_AGENT_LEDGER_H_
#define TROIKA_AGENT_LEDGER_H_

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "agent/emitter.h"
#include "agent/message.h"
#include "agent/protocol.h"

namespace troika {

class Ledger {
 public:
  explicit Ledger(int generation) { set_generation(generation); }

  // Ids of later tools carry the generation's number, from the second on.
  void set_generation(int generation);

  // Emits `use` under an id that no tool of the conversation had. A tool of
  // that native id that still runs has its result made first.
  void StartTool(absl::string_view native_id, ToolUse use, Emitter& out,
                 const Emitter::Context& context = {});
  bool IsRunning(absl::string_view native_id) const;
  // Emits `result` for a running tool, in the context of its use; false, and
  // nothing emitted, where no such tool runs.
  [[nodiscard]] bool EndTool(absl::string_view native_id, ToolResult result,
                             Emitter& out);
  // Whether a turn ended while this tool ran, so that it has a synthetic result
  // and what its harness says of it now comes too late.
  bool WasAbandoned(absl::string_view native_id) const;
  // Whether a tool of this native id began in this process, running or not.
  bool WasStarted(absl::string_view native_id) const;
  // Whether any tool runs.
  bool AnyRunning() const { return !running_.empty(); }
  // Our id of the latest tool that had this native id; made from it where there
  // was none.
  std::string ToolId(absl::string_view native_id) const;

  bool turn_open() const { return turn_open_; }
  void StartTurn() { turn_open_ = true; }
  // Tools that still run get results that say so; then the turn's result.
  void EndTurn(Result result, Emitter& out);
  // The stream is over: as EndTurn, with a synthetic result, if a turn is open.
  // `result` says how it ended; it is marked synthetic here.
  void EndStream(Result result, Emitter& out);

 private:
  struct Running {
    std::string id;
    std::string parent_tool_use_id;
    int64_t order = 0;
  };

  std::string UniqueId(absl::string_view native_id, EventId at);
  void EndAllTools(absl::string_view why, bool is_error, Emitter& out);

  std::string prefix_;
  absl::flat_hash_map<std::string, Running> running_;
  absl::flat_hash_set<std::string> abandoned_;
  int64_t started_ = 0;
  // Hashes of all ids given out: 8 bytes a tool use is what a stream costs.
  absl::flat_hash_set<uint64_t> used_;
  // Native ids that came again, with the id they have now.
  absl::flat_hash_map<std::string, std::string> renamed_;
  bool turn_open_ = false;
};

}  // namespace troika

#endif  // TROIKA_AGENT_LEDGER_H_
