#include "agent/claude/background_tasks.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace troika::claude {
namespace {

// True for "local_agent" and similar types, false for "local_bash".
bool IsSubagent(const TaskLine& line) {
  return !line.subagent_type.empty() ||
         absl::StrContains(line.task_type, "agent");
}

absl::string_view FirstOf(absl::string_view a, absl::string_view b) {
  return a.empty() ? b : a;
}

Subagent::Phase PhaseOf(absl::string_view subtype) {
  if (subtype == "task_started") return Subagent::Phase::kStarted;
  if (subtype == "task_notification") return Subagent::Phase::kEnded;
  return Subagent::Phase::kProgress;
}

}  // namespace

void BackgroundTasks::OnLine(absl::string_view subtype, const TaskLine& line,
                             const TaskPatch& patch, const Ledger& ledger,
                             Emitter& out) {
  const Subagent::Phase phase = PhaseOf(subtype);
  Task task;
  const auto known = tasks_.find(line.task_id);
  if (known != tasks_.end() && phase != Subagent::Phase::kStarted) {
    task = known->second;
  } else {
    task = {.is_subagent = IsSubagent(line),
            .native_tool_id = std::string(line.tool_use_id),
            .kind = std::string(FirstOf(line.subagent_type, line.task_type)),
            .description = std::string(line.description)};
  }
  const absl::string_view status = FirstOf(line.status, patch.status);
  const absl::string_view description =
      FirstOf(FirstOf(line.description, patch.description), task.description);
  if (task.is_subagent) {
    out.Emit(Subagent{.phase = phase,
                      .id = std::string(line.task_id),
                      .tool_use_id = task.native_tool_id.empty()
                                         ? ""
                                         : ledger.ToolId(task.native_tool_id),
                      .kind = task.kind,
                      .description = std::string(description),
                      .status = std::string(status)});
  } else {
    std::string text(subtype.substr(subtype.find('_') + 1));
    for (const absl::string_view part :
         {status, line.task_id, FirstOf(line.summary, description),
          patch.error}) {
      if (!part.empty()) absl::StrAppend(&text, ": ", part);
    }
    out.Emit(
        Notice{.kind = Notice::Kind::kBackgroundTask, .text = std::move(text)});
  }
  if (phase == Subagent::Phase::kEnded) {
    tasks_.erase(line.task_id);
  } else if (phase == Subagent::Phase::kStarted && tasks_.size() < kMaxTasks) {
    tasks_[line.task_id] = std::move(task);
  }
}

absl::string_view BackgroundTasks::ToolUseOf(absl::string_view task_id) const {
  const auto it = tasks_.find(task_id);
  if (it == tasks_.end() || !it->second.is_subagent) return "";
  return it->second.native_tool_id;
}

std::vector<absl::string_view> BackgroundTasks::ToolUses() const {
  std::vector<absl::string_view> ids;
  for (const auto& [unused, task] : tasks_) {
    if (task.is_subagent && !task.native_tool_id.empty()) {
      ids.push_back(task.native_tool_id);
    }
  }
  return ids;
}

}  // namespace troika::claude
