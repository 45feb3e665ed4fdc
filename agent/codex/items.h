// Converts the items of a Codex turn to tool uses, results and texts.
#ifndef TROIKA_AGENT_CODEX_ITEMS_H_
#define TROIKA_AGENT_CODEX_ITEMS_H_

#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "agent/codex/record.h"
#include "agent/drift.h"
#include "agent/emitter.h"
#include "agent/ledger.h"
#include "agent/message.h"
#include "base/json.h"

namespace troika::codex {

// Returns the tool use that an item with IsTool stands for, without its id.
ToolUse ToolUseOf(const Item& item);

class ItemReader {
 public:
  // Borrows both arguments.
  ItemReader(Ledger* ledger, Drift* /*nullable*/ drift)
      : ledger_(*ledger), drift_(drift) {}

  // `event` is item.started, item.updated or item.completed.
  void OnItem(absl::string_view event, json::Value item, Emitter& out);
  // Handles the start or the completion of an item of which IsTool is true.
  void OnTool(absl::string_view event, const Item& item, Emitter& out);
  static bool IsTool(absl::string_view type);

  // Returns the agent's last text since StartTurn.
  const std::string& last_text() const { return last_text_; }
  void set_last_text(absl::string_view text) { last_text_ = std::string(text); }
  void StartTurn() { last_text_.clear(); }

 private:
  void OnTodo(const Item& item, Emitter& out);
  void OnSubagents(const Item& item, Emitter& out);

  Ledger& ledger_;
  Drift* const /*nullable*/ drift_;
  std::string last_text_;
  absl::flat_hash_set<std::string> subagents_;  // Those that are running.
};

}  // namespace troika::codex

#endif  // TROIKA_AGENT_CODEX_ITEMS_H_
