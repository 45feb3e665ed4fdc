// Tracks the agent's todo list over the tools that change it.
//
// TodoWrite contains the whole list. The newer TaskCreate and TaskUpdate
// contain changes, which count once their results come, and TaskList's result
// contains the whole list again.
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
  // Further items are missing in Todo and appear only in the tool uses.
  static constexpr size_t kMaxItems = 200;
  static constexpr size_t kMaxTextBytes = 500;

  // Returns the list if this tool use contains all of it.
  std::optional<Todo> OnToolUse(absl::string_view native_id,
                                absl::string_view native_name,
                                json::Value input);

  // Returns whether the result changed the list. `details` is the line's
  // tool_use_result, if it describes this tool.
  bool OnToolResult(absl::string_view native_id, const ToolResult& result,
                    const ToolUseResult& details);

  Todo list() const;

  // Drops the running tools, which will get no result.
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
    Task change;  // The fields that the tool's input sets.
  };

  bool Create(Task task, absl::string_view output,
              const ToolUseResult& details);
  bool Update(const Task& change);
  // Parses "#1 [completed] Inspect".
  static std::optional<Task> ListedTask(absl::string_view line);
  bool Replace(absl::string_view output, const ToolUseResult& details);

  absl::flat_hash_map<std::string, Running> running_;
  std::vector<Task> tasks_;
};

}  // namespace troika::claude

#endif  // TROIKA_AGENT_CLAUDE_TODO_LIST_H_
