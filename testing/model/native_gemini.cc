// Maps common tool names to Gemini CLI's tools.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json_writer.h"
#include "testing/model/native.h"
#include "testing/model/native_calls.h"

namespace troika::model {
namespace {

using json::ObjectWriter;

NativeCall GeminiShell(absl::string_view command) {
  return FunctionCall("run_shell_command",
                      ObjectWriter()
                          .String("command", command)
                          .String("description", "Run a command")
                          .Take());
}

std::string GeminiTodos(const Instruction& instruction) {
  std::vector<std::string> todos;
  for (const script::TodoEntry& entry : instruction.plan) {
    todos.push_back(ObjectWriter()
                        .String("description", entry.text)
                        .String("status", script::StatusName(entry.status))
                        .Take());
  }
  return ObjectWriter().Json("todos", JsonArray(todos)).Take();
}

}  // namespace

absl::StatusOr<NativeCallList> GeminiCalls(const Instruction& instruction,
                                           const Request& request,
                                           absl::string_view folder) {
  const std::string& text = instruction.text;
  switch (instruction.op) {
    case Op::kRun:
      return NativeCallList{GeminiShell(text)};
    case Op::kRunBackground: {
      const Tool* const tool = request.FindTool("run_shell_command");
      if (tool && !tool->Takes("is_background")) {
        return NativeCallList{GeminiShell(InBackground(text))};
      }
      return NativeCallList{FunctionCall(
          "run_shell_command", ObjectWriter()
                                   .String("command", text)
                                   .String("description", "Run a command")
                                   .Json("is_background", "true")
                                   .Take())};
    }
    case Op::kDelete:
      return NativeCallList{
          GeminiShell(absl::StrCat("rm ", ShellQuoted(text)))};
    case Op::kPlan:
      return NativeCallList{
          FunctionCall("write_todos", GeminiTodos(instruction))};
    case Op::kAsk:
      return NativeCallList{FunctionCall(
          "ask_user", QuestionInput(instruction, "type", "\"choice\""))};
    case Op::kSearch:
      return NativeCallList{FunctionCall(
          "google_web_search", ObjectWriter().String("query", text).Take())};
    case Op::kCall:
      return NativeCallList{FunctionCall(text, instruction.rest)};
    default:
      break;
  }
  return FileCall(instruction, folder,
                  {.read = "read_file",
                   .write = "write_file",
                   .edit = "replace",
                   .edit_instruction = "Change it as the script says"});
}

}  // namespace troika::model
