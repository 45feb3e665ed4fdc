// system/task_* lines: subagents, and commands in the background.
#ifndef TROIKA_AGENT_CLAUDE_BACKGROUND_TASKS_H_
#define TROIKA_AGENT_CLAUDE_BACKGROUND_TASKS_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "agent/claude/line_out.h"
#include "agent/claude/record.h"
#include "agent/ledger.h"

namespace troika::claude {

// A subagent's lines become Subagent: kStarted by task_started, kProgress by
// task_progress and task_updated, kEnded by task_notification. Those of
// anything else become Notice. Only task_started says which it is, so that is
// kept until the task has ended.
class BackgroundTasks {
 public:
  void OnLine(absl::string_view subtype, const TaskLine& line,
              const TaskPatch& patch, const Ledger& ledger, LineOut& out);

 private:
  // Of more tasks at once the later ones' lines are told apart by what they
  // themselves say.
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
