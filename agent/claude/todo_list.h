// The agent's list of what is to do, kept over the tools that change it.
//
// TodoWrite says the whole list. The newer TaskCreate and TaskUpdate say
// changes, which count when their results come, and TaskList's result says the
// whole list again.
#ifndef TROIKA_AGENT_CLAUDE_TODO_LIST_H_
#define TROIKA_AGENT_CLAUDE_TODO_LIST_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "agent/claude/record.h"
#include "agent/message.h"
#include "base/json.h"

namespace troika::claude {

class TodoList {
 public:
  // Lists are kept up to this size; what is beyond is left out of Todo and
  // stands in the tool uses.
  static constexpr size_t kMaxItems = 200;
  static constexpr size_t kMaxTextBytes = 500;

  // The list, where this tool use says it whole.
  std::optional<Todo> OnToolUse(absl::string_view native_id,
                                absl::string_view native_name,
                                json::Value input);

  // Whether the result changed the list. `details` is the line's
  // tool_use_result, if it is about this tool.
  bool OnToolResult(absl::string_view native_id, const ToolResult& result,
                    const ToolUseResult& details);

  Todo list() const;

  // No result will come for the tools that still run.
  void DropRunning() { running_.clear(); }

 private:
  enum class Tool { kCreate, kUpdate, kList };
  struct Task {
    std::string id;
    std::string subject;
    std::string status;

    bool operator==(const Task&) const = default;
  };
  struct Running {
    Tool tool = Tool::kList;
    Task change;  // What the tool was told, as far as it was.
  };

  bool Create(Task task, absl::string_view output,
              const ToolUseResult& details);
  bool Update(const Task& change);
  // "#1 [completed] Inspect"
  static std::optional<Task> ListedTask(absl::string_view line);
  bool Replace(absl::string_view output, const ToolUseResult& details);

  absl::flat_hash_map<std::string, Running> running_;
  std::vector<Task> tasks_;
};

}  // namespace troika::claude

#endif  // TROIKA_AGENT_CLAUDE_TODO_LIST_H_
