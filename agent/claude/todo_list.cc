#include "agent/claude/todo_list.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "agent/tool_names.h"

namespace troika::claude {
namespace {

std::string Cut(absl::string_view text) {
  if (text.size() <= TodoList::kMaxTextBytes) return std::string(text);
  return json::ToValidUtf8(text.substr(0, TodoList::kMaxTextBytes));
}

// An id is a string, or a number if the model wrote one.
std::string IdOf(json::Value id) {
  if (!id.exists() || id.IsNull()) return "";
  return Cut(id.IsString() ? std::string(id.StringOr("")) : id.ToJson());
}

// Returns "12" for "Task #12 created successfully: …".
absl::string_view CreatedId(absl::string_view output) {
  if (!absl::ConsumePrefix(&output, "Task #")) return "";
  return output.substr(0, output.find(' '));
}

}  // namespace

std::optional<Todo> TodoList::OnToolUse(absl::string_view native_id,
                                        absl::string_view native_name,
                                        json::Value input) {
  if (native_name == "TodoWrite") {
    Todo todo;
    for (const json::Value item : input.Get("todos").items()) {
      todo.items.push_back(
          {.text = std::string(item.Get("content").StringOr("")),
           .status = TodoStatus(item.Get("status").StringOr(""))
                         .value_or(Todo::Status::kPending)});
    }
    return todo;
  }
  Running running;
  if (native_name == "TaskCreate") {
    running.tool = Tool::kCreate;
  } else if (native_name == "TaskUpdate") {
    running.tool = Tool::kUpdate;
    running.change.id = IdOf(input.Get("taskId"));
  } else if (native_name == "TaskList") {
    running.tool = Tool::kList;
  } else {
    return std::nullopt;
  }
  running.change.subject = Cut(input.Get("subject").StringOr(""));
  running.change.status = Cut(input.Get("status").StringOr(""));
  running_[native_id] = std::move(running);
  return std::nullopt;
}

bool TodoList::OnToolResult(absl::string_view native_id,
                            const ToolResult& result,
                            const ToolUseResult& details) {
  if (running_.empty()) return false;
  const auto it = running_.find(native_id);
  if (it == running_.end()) return false;
  Running running = std::move(it->second);
  running_.erase(it);
  if (result.is_error || details.success == false) return false;
  switch (running.tool) {
    case Tool::kCreate:
      return Create(std::move(running.change), result.output, details);
    case Tool::kUpdate:
      return Update(running.change);
    case Tool::kList:
      return Replace(result.output, details);
  }
  return false;
}

bool TodoList::Create(Task task, absl::string_view output,
                      const ToolUseResult& details) {
  task.id = Cut(CreatedId(output));
  if (task.id.empty() && details.task.IsObject()) {
    task.id = IdOf(details.task.Get("id"));
  }
  task.status = "pending";
  if (tasks_.size() >= kMaxItems) return false;
  tasks_.push_back(std::move(task));
  return true;
}

bool TodoList::Update(const Task& change) {
  if (change.id.empty()) return false;
  auto it = std::find_if(tasks_.begin(), tasks_.end(),
                         [&](const Task& t) { return t.id == change.id; });
  if (change.status == "deleted") {
    if (it == tasks_.end()) return false;
    tasks_.erase(it);
    return true;
  }
  if (it == tasks_.end()) {
    if (tasks_.size() >= kMaxItems) return false;
    // The task was created in an earlier process of the session.
    it = tasks_.insert(tasks_.end(),
                       {.id = change.id,
                        .subject = absl::StrCat("Task #", change.id),
                        .status = "pending"});
  }
  if (!change.subject.empty()) it->subject = change.subject;
  if (!change.status.empty()) it->status = change.status;
  return true;
}

std::optional<TodoList::Task> TodoList::ListedTask(absl::string_view line) {
  if (!absl::ConsumePrefix(&line, "#")) return std::nullopt;
  const std::pair<absl::string_view, absl::string_view> id_and_rest =
      absl::StrSplit(line, absl::MaxSplits(" [", 1));
  const std::vector<absl::string_view> status_and_subject =
      absl::StrSplit(id_and_rest.second, absl::MaxSplits("] ", 1));
  if (status_and_subject.size() != 2) return std::nullopt;
  return Task{.id = Cut(id_and_rest.first),
              .subject = Cut(status_and_subject[1]),
              .status = Cut(status_and_subject[0])};
}

bool TodoList::Replace(absl::string_view output, const ToolUseResult& details) {
  std::vector<Task> tasks;
  for (const json::Value task : details.tasks.items()) {
    if (tasks.size() == kMaxItems) break;
    tasks.push_back({.id = IdOf(task.Get("id")),
                     .subject = Cut(task.Get("subject").StringOr("")),
                     .status = Cut(task.Get("status").StringOr(""))});
  }
  if (!details.tasks.IsArray()) {
    for (const absl::string_view line : absl::StrSplit(output, '\n')) {
      if (tasks.size() == kMaxItems) break;
      if (std::optional<Task> task = ListedTask(line)) {
        tasks.push_back(*std::move(task));
      }
    }
    if (tasks.empty()) return false;
  }
  if (tasks == tasks_) return false;
  tasks_ = std::move(tasks);
  return true;
}

Todo TodoList::list() const {
  Todo todo;
  for (const Task& task : tasks_) {
    todo.items.push_back(
        {.text = task.subject,
         .status = TodoStatus(task.status).value_or(Todo::Status::kPending)});
  }
  return todo;
}

}  // namespace troika::claude
