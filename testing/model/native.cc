#include "testing/model/native.h"

#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "base/json_writer.h"
#include "base/status_macros.h"
#include "re2/re2.h"

namespace troika::model {
namespace {

using json::ObjectWriter;
using Calls = std::vector<NativeCall>;

struct CommonName {
  absl::string_view name;
  std::vector<absl::string_view> natives;
};

const std::vector<CommonName>& CommonNames() {
  static const auto* const kNames = new std::vector<CommonName>{
      {"run",
       {"exec_command", "shell_command", "shell", "local_shell", "exec", "Bash",
        "run_shell_command"}},
      {"write", {"apply_patch", "Write", "write_file"}},
      {"edit", {"apply_patch", "Edit", "replace"}},
      {"delete", {"apply_patch", "Bash", "run_shell_command"}},
      {"patch", {"apply_patch"}},
      {"read", {"exec_command", "shell_command", "shell", "Read", "read_file"}},
      {"plan", {"update_plan", "TodoWrite", "TaskCreate", "write_todos"}},
      {"ask", {"request_user_input", "AskUserQuestion", "ask_user"}},
      {"search", {"web_search", "WebSearch", "google_web_search"}},
  };
  return *kNames;
}

NativeCall Function(absl::string_view name, std::string input) {
  return {NativeCall::Type::kFunction, "", std::string(name), std::move(input)};
}

absl::string_view StatusWord(PlanEntry::Status status) {
  switch (status) {
    case PlanEntry::Status::kDone:
      return "completed";
    case PlanEntry::Status::kRunning:
      return "in_progress";
    case PlanEntry::Status::kOpen:
      return "pending";
  }
  return "pending";
}

std::string Array(const std::vector<std::string>& items) {
  return absl::StrCat("[", absl::StrJoin(items, ","), "]");
}

absl::StatusOr<std::string> Absolute(absl::string_view file,
                                     absl::string_view folder) {
  if (absl::StartsWith(file, "/")) return std::string(file);
  if (folder.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "find the folder of ", file,
        ": the request does not tell it; give it by --set cwd=FOLDER"));
  }
  return absl::StrCat(folder, "/", file);
}

std::string Question(const Instruction& instruction,
                     absl::string_view extra_name, absl::string_view extra) {
  std::vector<std::string> options;
  for (const std::string& option : instruction.options) {
    options.push_back(ObjectWriter()
                          .String("label", option)
                          .String("description", option)
                          .Take());
  }
  const std::string question = ObjectWriter()
                                   .String("question", instruction.text)
                                   .String("header", "Question")
                                   .Json(extra_name, extra)
                                   .Json("options", Array(options))
                                   .Take();
  return ObjectWriter().Json("questions", Array({question})).Take();
}

std::string TodoInput(const Instruction& instruction, const Tool& todo_write) {
  std::vector<std::string> todos;
  for (size_t i = 0; i < instruction.plan.size(); ++i) {
    const PlanEntry& entry = instruction.plan[i];
    ObjectWriter todo;
    todo.String("content", entry.text);
    todo.String("status", StatusWord(entry.status));
    if (todo_write.Takes("todos.activeForm")) {
      todo.String("activeForm", entry.text);
    }
    if (todo_write.Takes("todos.priority")) todo.String("priority", "medium");
    if (todo_write.Takes("todos.id")) todo.String("id", absl::StrCat(i + 1));
    todos.push_back(todo.Take());
  }
  return ObjectWriter().Json("todos", Array(todos)).Take();
}

// Claude's tasks that the conversation has made, by their subject.
struct Task {
  std::string id;
  std::string status = "pending";
};

std::map<std::string, Task> TasksOf(const Request& request) {
  std::map<std::string, std::string> results;  // By the call's id.
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

// A task is made once, and changed where its state is another one. Ids count
// from 1, in the order of the calls.
Calls TaskCalls(const Instruction& instruction, const Request& request) {
  std::map<std::string, Task> tasks = TasksOf(request);
  Calls creates, updates;
  for (const PlanEntry& entry : instruction.plan) {
    auto [at, is_new] = tasks.try_emplace(entry.text);
    if (is_new) {
      at->second.id = absl::StrCat(tasks.size());
      creates.push_back(
          Function("TaskCreate", ObjectWriter()
                                     .String("subject", entry.text)
                                     .String("description", entry.text)
                                     .Take()));
    }
    const absl::string_view status = StatusWord(entry.status);
    if (at->second.status != status) {
      updates.push_back(
          Function("TaskUpdate", ObjectWriter()
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
  return Function("Bash", input.Take());
}

std::string InBackground(absl::string_view command) {
  return absl::StrCat("nohup bash -c ", ShellQuoted(command),
                      " >/dev/null 2>&1 &");
}

absl::StatusOr<Calls> ClaudeCalls(const Instruction& instruction,
                                  const Request& request,
                                  absl::string_view folder) {
  const std::string& text = instruction.text;
  switch (instruction.op) {
    case Op::kRun:
      return Calls{Bash(request, text)};
    case Op::kRunBackground: {
      const Tool* const tool = request.FindTool("Bash");
      if (tool && !tool->Takes("run_in_background")) {
        return Calls{Bash(request, InBackground(text))};
      }
      return Calls{Function("Bash", ObjectWriter()
                                        .String("command", text)
                                        .String("description", "Run a command")
                                        .Json("run_in_background", "true")
                                        .Take())};
    }
    case Op::kDelete:
      return Calls{Bash(request, absl::StrCat("rm ", ShellQuoted(text)))};
    case Op::kPlan: {
      const Tool* const todo_write = request.FindTool("TodoWrite");
      if (!todo_write) return TaskCalls(instruction, request);
      return Calls{Function("TodoWrite", TodoInput(instruction, *todo_write))};
    }
    case Op::kAsk:
      return Calls{Function("AskUserQuestion",
                            Question(instruction, "multiSelect", "false"))};
    case Op::kSearch:
      return Calls{
          Function("WebSearch", ObjectWriter().String("query", text).Take())};
    case Op::kCall:
      return Calls{Function(text, instruction.rest)};
    default:
      break;
  }
  ASSIGN_OR_RETURN(const std::string path, Absolute(text, folder));
  ObjectWriter input;
  input.String("file_path", path);
  if (instruction.op == Op::kRead) return Calls{Function("Read", input.Take())};
  if (instruction.op == Op::kWrite) {
    input.String("content", instruction.rest);
    return Calls{Function("Write", input.Take())};
  }
  input.String("old_string", instruction.rest);
  input.String("new_string", instruction.third);
  return Calls{Function("Edit", input.Take())};
}

NativeCall GeminiShell(absl::string_view command) {
  return Function("run_shell_command",
                  ObjectWriter()
                      .String("command", command)
                      .String("description", "Run a command")
                      .Take());
}

std::string GeminiTodos(const Instruction& instruction) {
  std::vector<std::string> todos;
  for (const PlanEntry& entry : instruction.plan) {
    todos.push_back(ObjectWriter()
                        .String("description", entry.text)
                        .String("status", StatusWord(entry.status))
                        .Take());
  }
  return ObjectWriter().Json("todos", Array(todos)).Take();
}

absl::StatusOr<Calls> GeminiCalls(const Instruction& instruction,
                                  const Request& request,
                                  absl::string_view folder) {
  const std::string& text = instruction.text;
  switch (instruction.op) {
    case Op::kRun:
      return Calls{GeminiShell(text)};
    case Op::kRunBackground: {
      const Tool* const tool = request.FindTool("run_shell_command");
      if (tool && !tool->Takes("is_background")) {
        return Calls{GeminiShell(InBackground(text))};
      }
      return Calls{Function("run_shell_command",
                            ObjectWriter()
                                .String("command", text)
                                .String("description", "Run a command")
                                .Json("is_background", "true")
                                .Take())};
    }
    case Op::kDelete:
      return Calls{GeminiShell(absl::StrCat("rm ", ShellQuoted(text)))};
    case Op::kPlan:
      return Calls{Function("write_todos", GeminiTodos(instruction))};
    case Op::kAsk:
      return Calls{
          Function("ask_user", Question(instruction, "type", "\"choice\""))};
    case Op::kSearch:
      return Calls{Function("google_web_search",
                            ObjectWriter().String("query", text).Take())};
    case Op::kCall:
      return Calls{Function(text, instruction.rest)};
    default:
      break;
  }
  ASSIGN_OR_RETURN(const std::string path, Absolute(text, folder));
  ObjectWriter input;
  input.String("file_path", path);
  if (instruction.op == Op::kRead) {
    return Calls{Function("read_file", input.Take())};
  }
  if (instruction.op == Op::kWrite) {
    input.String("content", instruction.rest);
    return Calls{Function("write_file", input.Take())};
  }
  input.String("instruction", "Change it as the script says");
  input.String("old_string", instruction.rest);
  input.String("new_string", instruction.third);
  return Calls{Function("replace", input.Take())};
}

// CLIs put an underscore in place of what a name may not have.
std::string Plain(absl::string_view name) {
  std::string plain(name);
  for (char& c : plain) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return plain;
}

}  // namespace

bool IsTool(Op op) {
  switch (op) {
    case Op::kRun:
    case Op::kRunBackground:
    case Op::kWrite:
    case Op::kEdit:
    case Op::kDelete:
    case Op::kPatch:
    case Op::kRead:
    case Op::kPlan:
    case Op::kAsk:
    case Op::kMcp:
    case Op::kSearch:
    case Op::kCall:
      return true;
    default:
      return false;
  }
}

const Tool* FindMcpTool(const Request& request, absl::string_view server,
                        absl::string_view tool) {
  const std::string space = Plain(absl::StrCat("mcp__", server));
  for (const Tool& offered : request.tools) {
    const absl::string_view in =
        absl::StripSuffix(absl::string_view(offered.space), "__");
    if (!in.empty() && Plain(in) == space && offered.name == tool) {
      return &offered;
    }
  }
  for (const absl::string_view format :
       {"mcp__$0__$1", "$0__$1", "mcp_$0_$1", "$1"}) {
    const std::string name =
        Plain(absl::StrReplaceAll(format, {{"$0", server}, {"$1", tool}}));
    for (const Tool& offered : request.tools) {
      if (offered.space.empty() && Plain(offered.name) == name) return &offered;
    }
  }
  return nullptr;
}

absl::StatusOr<Calls> NativeCalls(const Instruction& instruction,
                                  const Request& request,
                                  absl::string_view folder) {
  if (request.wire == Wire::kResponses) return CodexCalls(instruction, request);
  if (instruction.op == Op::kPatch) {
    return absl::InvalidArgumentError(
        "patch: this wire has no such tool, use write, edit, delete");
  }
  const bool claude = request.wire == Wire::kMessages;
  if (instruction.op == Op::kMcp) {
    const Tool* const tool =
        FindMcpTool(request, instruction.text, instruction.rest);
    const absl::string_view gap = claude ? "__" : "_";
    return Calls{Function(tool ? tool->name
                               : absl::StrCat("mcp", gap, instruction.text, gap,
                                              instruction.rest),
                          instruction.third)};
  }
  return claude ? ClaudeCalls(instruction, request, folder)
                : GeminiCalls(instruction, request, folder);
}

std::vector<absl::string_view> NativeNames(absl::string_view name) {
  for (const CommonName& common : CommonNames()) {
    if (common.name == name) return common.natives;
  }
  return {name};
}

std::string ShellQuoted(absl::string_view text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

std::string JsonQuoted(absl::string_view text) {
  std::string quoted;
  json::AppendQuoted(text, &quoted);
  return quoted;
}

}  // namespace troika::model
