// Maps common tool names to Codex's tools, which vary by version and model.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/json_writer.h"
#include "testing/model/native.h"
#include "testing/model/native_calls.h"

namespace troika::model {
namespace {

using json::ObjectWriter;
using Type = NativeCall::Type;

// Whether the model has only one tool, which runs JavaScript.
bool IsCodeMode(const Request& request) {
  const Tool* const exec = request.FindTool("exec");
  return exec && exec->type == "custom" && !request.FindTool("exec_command");
}

NativeCall JavaScript(absl::string_view tool, absl::string_view argument) {
  return {Type::kCustom, "", "exec",
          absl::StrCat("text(await tools.", tool, "(", argument, "));")};
}

enum class Yield { kDefault, kSoon };

NativeCall Shell(const Request& request, absl::string_view line, Yield yield) {
  const bool code_mode = IsCodeMode(request);
  const bool old = !code_mode && !request.FindTool("exec_command");
  std::string command(line);
  if (old && yield == Yield::kSoon) command = InBackground(line);
  const std::string simple = ObjectWriter().String("command", command).Take();
  if (old && request.FindTool("shell_command")) {
    return FunctionCall("shell_command", simple);
  }
  if (old && request.FindTool("shell")) {
    return FunctionCall(
        "shell", ObjectWriter()
                     .Json("command", absl::StrCat("[\"bash\",\"-lc\",",
                                                   JsonQuoted(command), "]"))
                     .Take());
  }
  if (old && request.FindTool("local_shell")) {
    return {Type::kLocalShell, "", "local_shell", command};
  }
  ObjectWriter input;
  input.String("cmd", line);
  if (yield == Yield::kSoon) input.Json("yield_time_ms", "250");
  return code_mode ? JavaScript("exec_command", input.Take())
                   : FunctionCall("exec_command", input.Take());
}

bool HasShell(const Request& request) {
  return request.FindTool("exec_command") ||
         request.FindTool("shell_command") || request.FindTool("shell") ||
         request.FindTool("local_shell");
}

NativeCall Patch(const Request& request, absl::string_view patch) {
  if (IsCodeMode(request)) return JavaScript("apply_patch", JsonQuoted(patch));
  const Tool* const tool = request.FindTool("apply_patch");
  if (tool && tool->type == "function") {
    return FunctionCall("apply_patch",
                        ObjectWriter().String("input", patch).Take());
  }
  if (!tool && HasShell(request)) {
    return Shell(request,
                 absl::StrCat("apply_patch <<'EOF'\n",
                              absl::StripSuffix(patch, "\n"), "\nEOF\n"),
                 Yield::kDefault);
  }
  return {Type::kCustom, "", "apply_patch", std::string(patch)};
}

// Puts the sign before each line of the text.
std::string Lines(absl::string_view text, absl::string_view sign) {
  if (text.empty()) return "";
  std::string lines;
  for (const absl::string_view line :
       absl::StrSplit(absl::StripSuffix(text, "\n"), '\n')) {
    absl::StrAppend(&lines, sign, line, "\n");
  }
  return lines;
}

std::string PatchText(absl::string_view body) {
  return absl::StrCat("*** Begin Patch\n", body, "*** End Patch\n");
}

std::string PlanInput(const Instruction& instruction) {
  std::vector<std::string> steps;
  for (const script::TodoEntry& entry : instruction.plan) {
    steps.push_back(ObjectWriter()
                        .String("step", entry.text)
                        .String("status", script::StatusName(entry.status))
                        .Take());
  }
  return ObjectWriter().Json("plan", JsonArray(steps)).Take();
}

NativeCall Mcp(const Instruction& instruction, const Request& request) {
  const Tool* const tool =
      FindMcpTool(request, instruction.text, instruction.rest);
  if (tool) {
    return {Type::kFunction, tool->space, tool->name, instruction.third};
  }
  const std::string space = absl::StrCat("mcp__", instruction.text);
  if (IsCodeMode(request)) {
    return JavaScript(PlainName(absl::StrCat(space, "__", instruction.rest)),
                      instruction.third);
  }
  return {Type::kFunction, space, instruction.rest, instruction.third};
}

NativeCall Named(const Request& request, absl::string_view name,
                 const std::string& input) {
  return IsCodeMode(request) && !request.FindTool(name)
             ? JavaScript(name, input)
             : FunctionCall(name, input);
}

}  // namespace

absl::StatusOr<NativeCallList> CodexCalls(const Instruction& instruction,
                                          const Request& request) {
  const std::string& text = instruction.text;
  NativeCallList calls;
  switch (instruction.op) {
    case Op::kRun:
      calls.push_back(Shell(request, text, Yield::kDefault));
      break;
    case Op::kRunBackground:
      calls.push_back(Shell(request, text, Yield::kSoon));
      break;
    case Op::kRead:
      calls.push_back(Shell(request, absl::StrCat("cat ", ShellQuoted(text)),
                            Yield::kDefault));
      break;
    case Op::kWrite:
      calls.push_back(Patch(
          request, PatchText(absl::StrCat("*** Add File: ", text, "\n",
                                          Lines(instruction.rest, "+")))));
      break;
    case Op::kEdit:
      calls.push_back(Patch(
          request, PatchText(absl::StrCat("*** Update File: ", text, "\n@@\n",
                                          Lines(instruction.rest, "-"),
                                          Lines(instruction.third, "+")))));
      break;
    case Op::kDelete:
      calls.push_back(Patch(
          request, PatchText(absl::StrCat("*** Delete File: ", text, "\n"))));
      break;
    case Op::kPatch:
      calls.push_back(Patch(request, text));
      break;
    case Op::kPlan:
      calls.push_back(Named(request, "update_plan", PlanInput(instruction)));
      break;
    case Op::kAsk:
      calls.push_back(Named(request, "request_user_input",
                            QuestionInput(instruction, "id", "\"question\"")));
      break;
    case Op::kMcp:
      calls.push_back(Mcp(instruction, request));
      break;
    case Op::kSearch:
      calls.push_back({Type::kWebSearch, "", "web_search", text});
      break;
    default: {
      const Tool* const tool = request.FindTool(text);
      calls.push_back(
          {Type::kFunction, tool ? tool->space : "", text, instruction.rest});
      break;
    }
  }
  return calls;
}

}  // namespace troika::model
