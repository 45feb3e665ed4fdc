#include "testing/model/native.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "base/json_writer.h"
#include "base/status_macros.h"
#include "testing/model/native_calls.h"

namespace troika::model {
namespace {

using json::ObjectWriter;

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
  const std::string space = PlainName(absl::StrCat("mcp__", server));
  for (const Tool& offered : request.tools) {
    const absl::string_view in =
        absl::StripSuffix(absl::string_view(offered.space), "__");
    if (!in.empty() && PlainName(in) == space && offered.name == tool) {
      return &offered;
    }
  }
  for (const absl::string_view format :
       {"mcp__$0__$1", "$0__$1", "mcp_$0_$1", "$1"}) {
    const std::string name =
        PlainName(absl::StrReplaceAll(format, {{"$0", server}, {"$1", tool}}));
    for (const Tool& offered : request.tools) {
      if (offered.space.empty() && PlainName(offered.name) == name)
        return &offered;
    }
  }
  return nullptr;
}

absl::StatusOr<NativeCallList> NativeCalls(const Instruction& instruction,
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
    return NativeCallList{FunctionCall(
        tool
            ? tool->name
            : absl::StrCat("mcp", gap, instruction.text, gap, instruction.rest),
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

NativeCall FunctionCall(absl::string_view name, std::string input) {
  return {NativeCall::Type::kFunction, "", std::string(name), std::move(input)};
}

absl::StatusOr<NativeCallList> FileCall(const Instruction& instruction,
                                        absl::string_view folder,
                                        const FileTools& tools) {
  ASSIGN_OR_RETURN(const std::string path,
                   AbsoluteFile(instruction.text, folder));
  ObjectWriter input;
  input.String("file_path", path);
  if (instruction.op == Op::kRead) {
    return NativeCallList{FunctionCall(tools.read, input.Take())};
  }
  if (instruction.op == Op::kWrite) {
    input.String("content", instruction.rest);
    return NativeCallList{FunctionCall(tools.write, input.Take())};
  }
  if (!tools.edit_instruction.empty()) {
    input.String("instruction", tools.edit_instruction);
  }
  input.String("old_string", instruction.rest);
  input.String("new_string", instruction.third);
  return NativeCallList{FunctionCall(tools.edit, input.Take())};
}

std::string JsonArray(const std::vector<std::string>& items) {
  return absl::StrCat("[", absl::StrJoin(items, ","), "]");
}

absl::StatusOr<std::string> AbsoluteFile(absl::string_view file,
                                         absl::string_view folder) {
  if (absl::StartsWith(file, "/")) return std::string(file);
  if (folder.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "find the folder of ", file,
        ": the request does not tell it; give it by --set cwd=FOLDER"));
  }
  return absl::StrCat(folder, "/", file);
}

std::string QuestionInput(const Instruction& instruction,
                          absl::string_view extra_name,
                          absl::string_view extra) {
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
                                   .Json("options", JsonArray(options))
                                   .Take();
  return ObjectWriter().Json("questions", JsonArray({question})).Take();
}

std::string InBackground(absl::string_view command) {
  return absl::StrCat("nohup bash -c ", ShellQuoted(command),
                      " >/dev/null 2>&1 &");
}

std::string PlainName(absl::string_view name) {
  std::string plain(name);
  for (char& c : plain) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return plain;
}

}  // namespace troika::model
