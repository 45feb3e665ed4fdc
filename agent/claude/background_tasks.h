// Handles system/task_* lines, which report subagents and background commands.
#ifndef TROIKA_AGENT_CLAUDE_BACKGROUND_TASKS_H_
#define TROIKA_AGENT_CLAUDE_BACKGROUND_TASKS_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "agent/claude/record.h"
#include "agent/emitter.h"
#include "agent/ledger.h"

namespace troika::claude {

// A subagent's lines become Subagent: kStarted for task_started, kProgress for
// task_progress and task_updated, kEnded for task_notification. The lines of
// other tasks become Notice. Only task_started says which kind it is, so the
// kind is kept until the task ends.
class BackgroundTasks {
 public:
  void OnLine(absl::string_view subtype, const TaskLine& line,
              const TaskPatch& patch, const Ledger& ledger, Emitter& out);

  // Returns the native id of the tool use that started this running subagent;
  // empty if there is no such subagent.
  absl::string_view ToolUseOf(absl::string_view task_id) const;
  // Returns the native ids of the tool uses that started running subagents.
  std::vector<absl::string_view> ToolUses() const;

 private:
  // If more tasks run at once, only a line's own fields tell the kind of the
  // later ones.
  static constexpr size_t kMaxTasks = 1000;

  struct Task {
    bool is_subagent = false;
    std::string native_tool_id;
    std::string kind;
    std::string description;
  };

  absl::flat_hash_map<std::string, Task> tasks_;
};

}  // namespace troika::claude

#endif  // TROIKA_AGENT_CLAUDE_BACKGROUND_TASKS_H_
