#include "agent/tool_names.h"

#include "absl/strings/strip.h"

namespace troika {
namespace {

struct Row {
  absl::string_view name;
  // Native names by harness; more than one if versions differ.
  absl::string_view codex[4];
  absl::string_view claude[4];
  absl::string_view gemini[4];
};

constexpr Row kTable[] = {
    {"Bash",
     {"command_execution", "exec_command"},
     {"Bash"},
     {"run_shell_command"}},
    {"BashOutput", {}, {"BashOutput", "TaskOutput"}, {}},
    {"KillBash", {}, {"KillBash", "KillShell", "TaskStop"}, {}},
    {"Read", {}, {"Read", "View"}, {"read_file"}},
    {"ReadMany", {}, {}, {"read_many_files"}},
    {"Write", {}, {"Write", "Replace"}, {"write_file"}},
    {"Edit",
     {"file_change", "apply_patch"},
     {"Edit", "MultiEdit"},
     {"replace", "edit"}},
    {"NotebookEdit", {}, {"NotebookEdit", "NotebookEditCell"}, {}},
    {"Glob", {}, {"Glob", "GlobTool"}, {"glob"}},
    {"Grep",
     {},
     {"Grep", "GrepTool"},
     {"grep_search", "search_file_content", "grep"}},
    {"List", {}, {"LS"}, {"list_directory", "ls"}},
    {"WebSearch",
     {"web_search"},
     {"WebSearch", "web_search"},
     {"google_web_search"}},
    {"WebFetch", {}, {"WebFetch", "web_fetch"}, {"web_fetch"}},
    {"TodoWrite",
     {"todo_list", "update_plan"},
     {"TodoWrite", "TaskCreate", "TaskUpdate"},
     {"write_todos"}},
    {"TodoRead", {}, {"TodoRead", "TaskList", "TaskGet"}, {}},
    {"Agent",
     {"spawn_agent"},
     {"Task", "Agent", "dispatch_agent"},
     {"invoke_agent"}},
    {"AgentMessage", {"send_input"}, {"SendMessage"}, {}},
    {"AgentWait", {"wait"}, {}, {}},
    {"AgentClose", {"close_agent"}, {}, {}},
    {"AskUser", {}, {"AskUserQuestion"}, {"ask_user"}},
    {"PlanMode", {}, {"EnterPlanMode"}, {"enter_plan_mode"}},
    {"ExitPlanMode",
     {},
     {"ExitPlanMode", "exit_plan_mode"},
     {"exit_plan_mode"}},
    {"Skill", {}, {"Skill"}, {"activate_skill"}},
    {"Memory", {}, {}, {"save_memory"}},
};

const absl::string_view* NativeNames(const Row& row, Harness harness) {
  switch (harness) {
    case Harness::kCodex:
      return row.codex;
    case Harness::kClaude:
    case Harness::kDemo:
    case Harness::kAcp:
      return row.claude;
    case Harness::kGemini:
      return row.gemini;
  }
  return row.codex;
}

// Codex reports server and tool separately, so its names have no prefix.
absl::string_view McpPrefix(Harness harness) {
  return harness == Harness::kClaude   ? "mcp__"
         : harness == Harness::kGemini ? "mcp_"
                                       : "";
}

}  // namespace

ToolName NormalizeToolName(Harness harness, absl::string_view native_name) {
  for (const Row& row : kTable) {
    for (int i = 0; i < 4; ++i) {
      const absl::string_view native = NativeNames(row, harness)[i];
      if (native.empty()) break;
      if (native == native_name) return {.name = row.name, .server = ""};
    }
  }
  const absl::string_view prefix = McpPrefix(harness);
  absl::string_view rest = native_name;
  if (!prefix.empty() && absl::ConsumePrefix(&rest, prefix)) {
    const absl::string_view separator = prefix.substr(3);
    const size_t at = rest.find(separator);
    if (at != absl::string_view::npos && at > 0 &&
        at + separator.size() < rest.size()) {
      return {.name = rest.substr(at + separator.size()),
              .server = rest.substr(0, at)};
    }
  }
  return {.name = native_name, .server = ""};
}

std::optional<Todo::Status> TodoStatus(absl::string_view native_name) {
  if (native_name == "pending") return Todo::Status::kPending;
  if (native_name == "in_progress") return Todo::Status::kInProgress;
  if (native_name == "completed") return Todo::Status::kCompleted;
  if (native_name == "cancelled") return Todo::Status::kCancelled;
  return std::nullopt;
}

}  // namespace troika
