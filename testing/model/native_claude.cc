// Maps common tool names to Claude Code's tools.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "re2/re2.h"
#include "testing/model/native.h"
#include "testing/model/native_calls.h"

namespace troika::model {
namespace {

using json::ObjectWriter;

std::string TodoInput(const Instruction& instruction, const Tool& todo_write) {
  std::vector<std::string> todos;
  for (size_t i = 0; i < instruction.plan.size(); ++i) {
    const script::TodoEntry& entry = instruction.plan[i];
    ObjectWriter todo;
    todo.String("content", entry.text);
    todo.String("status", script::StatusName(entry.status));
    if (todo_write.Takes("todos.activeForm")) {
      todo.String("activeForm", entry.text);
    }
    if (todo_write.Takes("todos.priority")) todo.String("priority", "medium");
    if (todo_write.Takes("todos.id")) todo.String("id", absl::StrCat(i + 1));
    todos.push_back(todo.Take());
  }
  return ObjectWriter().Json("todos", JsonArray(todos)).Take();
}

// A task that the conversation has created, keyed by its subject.
struct Task {
  std::string id;
  std::string status = "pending";
};

std::map<std::string, Task> TasksOf(const Request& request) {
  std::map<std::string, std::string> results;  // Keyed by the call's id.
  for (const Part& part : request.parts) {
    if (part.type == Part::Type::kResult) results[part.id] = part.text;
  }
  std::map<std::string, Task> tasks;
  json::Parser parser;
  for (const Part& part : request.parts) {
    if (part.type != Part::Type::kCall) continue;
    const auto input = parser.Parse(part.text);
    if (!input.ok()) continue;
    std::string id;
    if (part.name == "TaskCreate" &&
        RE2::PartialMatch(results[part.id], "Task #(\\d+)", &id)) {
      tasks[std::string(input->Get("subject").StringOr(""))].id = id;
    } else if (part.name == "TaskUpdate") {
      for (auto& [subject, task] : tasks) {
        if (task.id == input->Get("taskId").StringOr("")) {
          task.status = std::string(input->Get("status").StringOr(task.status));
        }
      }
    }
  }
  return tasks;
}

// Creates each task once, and updates it if its state differs. Ids count from
// 1, in the order of the calls.
NativeCallList TaskCalls(const Instruction& instruction,
                         const Request& request) {
  std::map<std::string, Task> tasks = TasksOf(request);
  NativeCallList creates, updates;
  for (const script::TodoEntry& entry : instruction.plan) {
    auto [at, is_new] = tasks.try_emplace(entry.text);
    if (is_new) {
      at->second.id = absl::StrCat(tasks.size());
      creates.push_back(
          FunctionCall("TaskCreate", ObjectWriter()
                                         .String("subject", entry.text)
                                         .String("description", entry.text)
                                         .Take()));
    }
    const absl::string_view status = script::StatusName(entry.status);
    if (at->second.status != status) {
      updates.push_back(
          FunctionCall("TaskUpdate", ObjectWriter()
                                         .String("taskId", at->second.id)
                                         .String("status", status)
                                         .Take()));
    }
  }
  creates.insert(creates.end(), updates.begin(), updates.end());
  return creates;
}

NativeCall Bash(const Request& request, absl::string_view command) {
  ObjectWriter input;
  input.String("command", command);
  const Tool* const tool = request.FindTool("Bash");
  if (!tool || tool->Takes("description")) {
    input.String("description", "Run a command");
  }
  return FunctionCall("Bash", input.Take());
}

}  // namespace

absl::StatusOr<NativeCallList> ClaudeCalls(const Instruction& instruction,
                                           const Request& request,
                                           absl::string_view folder) {
  const std::string& text = instruction.text;
  switch (instruction.op) {
    case Op::kRun:
      return NativeCallList{Bash(request, text)};
    case Op::kRunBackground: {
      const Tool* const tool = request.FindTool("Bash");
      if (tool && !tool->Takes("run_in_background")) {
        return NativeCallList{Bash(request, InBackground(text))};
      }
      return NativeCallList{
          FunctionCall("Bash", ObjectWriter()
                                   .String("command", text)
                                   .String("description", "Run a command")
                                   .Json("run_in_background", "true")
                                   .Take())};
    }
    case Op::kDelete:
      return NativeCallList{
          Bash(request, absl::StrCat("rm ", ShellQuoted(text)))};
    case Op::kPlan: {
      const Tool* const todo_write = request.FindTool("TodoWrite");
      if (!todo_write) return TaskCalls(instruction, request);
      return NativeCallList{
          FunctionCall("TodoWrite", TodoInput(instruction, *todo_write))};
    }
    case Op::kAsk:
      return NativeCallList{
          FunctionCall("AskUserQuestion",
                       QuestionInput(instruction, "multiSelect", "false"))};
    case Op::kSearch:
      return NativeCallList{FunctionCall(
          "WebSearch", ObjectWriter().String("query", text).Take())};
    case Op::kCall:
      return NativeCallList{FunctionCall(text, instruction.rest)};
    default:
      break;
  }
  return FileCall(instruction, folder,
                  {.read = "Read", .write = "Write", .edit = "Edit"});
}

}  // namespace troika::model
