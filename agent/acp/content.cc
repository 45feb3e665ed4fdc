#include "agent/acp/content.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "agent/acp/unified_diff.h"
#include "agent/tool_names.h"
#include "base/json_writer.h"

namespace troika::acp {
namespace {

struct KindName {
  absl::string_view kind;
  absl::string_view tool;
};

// Names for tools that are told by their kind only.
constexpr KindName kKindNames[] = {
    {"execute", "Bash"}, {"read", "Read"},      {"edit", "Edit"},
    {"search", "Grep"},  {"fetch", "WebFetch"}, {"delete", "Delete"},
    {"move", "Move"},    {"think", "Think"},    {"switch_mode", "SwitchMode"},
    {"other", "Tool"},
};

// Gemini CLI's ids begin with the tool's name from 0.51 on:
// run_shell_command__call_1.
absl::string_view GeminiName(absl::string_view native_id) {
  const size_t end = native_id.find("__");
  return end == absl::string_view::npos ? "" : native_id.substr(0, end);
}

// What Gemini CLI tells of a command without its raw input. 0.61 has the
// command as the title, and "[current working directory /w] (Why)" as text;
// 0.35 has both in the title.
struct CommandParts {
  absl::string_view command;
  absl::string_view cwd;
};

CommandParts SplitTitle(absl::string_view title, absl::string_view text) {
  constexpr absl::string_view kFolder = "[current working directory ";
  CommandParts parts = {.command = title, .cwd = ""};
  absl::string_view rest = text;
  if (!absl::ConsumePrefix(&rest, kFolder)) {
    const size_t at = title.rfind(kFolder);
    if (at == absl::string_view::npos || at == 0) return parts;
    parts.command = title.substr(0, at - 1);
    rest = title.substr(at + kFolder.size());
  }
  parts.cwd = rest.substr(0, rest.find(']'));
  return parts;
}

// Other agents put it into their part of `_meta`, as claude-agent-acp does:
// {"claudeCode":{"toolName":"Bash"}}.
absl::string_view MetaName(json::Value meta) {
  for (const json::Member& part : meta.members()) {
    const absl::string_view name = part.value.Get("toolName").StringOr("");
    if (!name.empty()) return name;
  }
  return "";
}

absl::string_view NameOfKind(absl::string_view kind) {
  for (const KindName& row : kKindNames) {
    if (row.kind == kind) return row.tool;
  }
  return "";
}

std::string InputOf(const CallFacts& facts) {
  if (!facts.raw_input_json.empty()) return facts.raw_input_json;
  json::ObjectWriter input;
  if (facts.kind == "execute") {
    input.String("command", SplitTitle(facts.title, facts.text).command);
    if (!facts.text.empty()) input.String("description", facts.text);
    return input.Take();
  }
  if (!facts.path.empty()) input.String("file_path", facts.path);
  if (!facts.diff.empty() && facts.old_text.empty()) {
    input.String("content", facts.new_text);
  } else if (!facts.diff.empty()) {
    input.String("old_string", facts.old_text)
        .String("new_string", facts.new_text);
  }
  if (!facts.title.empty()) input.String("title", facts.title);
  return input.Take();
}

}  // namespace

void CallFacts::Merge(const ToolCall& call) {
  if (!call.title.empty()) title = std::string(call.title);
  if (!call.kind.empty()) kind = std::string(call.kind);
  const absl::string_view told =
      call.name.empty() ? MetaName(call.meta) : call.name;
  if (!told.empty()) name = std::string(told);
  if (call.raw_input.IsObject() && call.raw_input.size() > 0) {
    raw_input_json = call.raw_input.ToJson();
  }
  const absl::string_view location =
      call.locations.At(0).Get("path").StringOr("");
  if (!location.empty()) path = std::string(location);
  const auto add_path = [&](absl::string_view changed) {
    const bool known =
        std::find(paths.begin(), paths.end(), changed) != paths.end();
    if (!known && !changed.empty()) paths.emplace_back(changed);
  };
  for (const json::Value file : call.locations.items()) {
    add_path(file.Get("path").StringOr(""));
  }
  if (!call.content.IsArray()) return;
  text.clear();
  diff.clear();
  for (const json::Value item : call.content.items()) {
    const absl::string_view type = item.Get("type").StringOr("");
    if (type == "diff") {
      const absl::string_view file = item.Get("path").StringOr("");
      const absl::string_view before = item.Get("oldText").StringOr("");
      const absl::string_view after = item.Get("newText").StringOr("");
      // Gemini CLI before 0.51 tells only the name of a file that has a
      // location.
      if (paths.empty() || absl::StartsWith(file, "/")) add_path(file);
      if (diff.empty()) {
        if (path.empty()) path = std::string(file);
        old_text = std::string(before);
        new_text = std::string(after);
      }
      absl::StrAppend(&diff, UnifiedDiff(file, before, after));
    } else if (const auto said = TextOf(item.Get("content"))) {
      absl::StrAppend(&text, text.empty() ? "" : "\n", *said);
    }
  }
}

std::optional<absl::string_view> TextOf(json::Value block) {
  if (block.Get("type").StringOr("") != "text") return std::nullopt;
  return block.Get("text").String();
}

ToolUse ToolUseOf(Harness harness, absl::string_view native_id,
                  const CallFacts& facts) {
  const bool gemini = harness == Harness::kGemini;
  absl::string_view native = facts.name;
  if (native.empty() && gemini) native = GeminiName(native_id);
  const absl::string_view of_kind = NameOfKind(facts.kind);
  ToolUse use = {.id = "",
                 .name = std::string(of_kind),
                 .native_name = std::string(native),
                 .server = "",
                 .input_json = InputOf(facts)};
  if (native.empty()) {
    use.native_name = facts.kind.empty() ? "tool" : facts.kind;
    if (use.name.empty()) use.name = use.native_name;
    return use;
  }
  // Names that other agents tell are mostly those of Claude Code.
  const ToolName name =
      NormalizeToolName(gemini ? Harness::kGemini : Harness::kClaude, native);
  const bool listed = name.name != native || !name.server.empty();
  // What is not in the table is known by its kind, unless that says nothing.
  if (listed || gemini || of_kind.empty() || facts.kind == "other") {
    use.name = std::string(name.name);
    use.server = std::string(name.server);
  }
  return use;
}

Approval::Kind ApprovalKind(absl::string_view kind) {
  if (kind == "execute") return Approval::Kind::kCommandLine;
  if (kind == "edit" || kind == "delete" || kind == "move") {
    return Approval::Kind::kEdit;
  }
  if (kind == "switch_mode") return Approval::Kind::kPlan;
  return Approval::Kind::kTool;
}

bool IsExact(Harness harness, absl::string_view native_id,
             const CallFacts& facts) {
  const bool gemini = harness == Harness::kGemini;
  const absl::string_view gemini_name = gemini ? GeminiName(native_id) : "";
  if (facts.kind != "execute") {
    return !facts.name.empty() || !gemini_name.empty();
  }
  if (facts.raw_input_json.empty()) {
    return gemini_name == "run_shell_command" &&
           CommandOf(facts) == facts.title;
  }
  constexpr absl::string_view kKnown[] = {
      "command",           "description",   "cwd",      "timeout",  "workdir",
      "run_in_background", "is_background", "dir_path", "directory"};
  json::Parser parser;
  const auto input = parser.Parse(facts.raw_input_json);
  if (!input.ok() || !input->Get("command").IsString()) return false;
  std::set<absl::string_view> seen;
  for (const json::Member& member : input->members()) {
    const bool known = std::find(std::begin(kKnown), std::end(kKnown),
                                 member.key) != std::end(kKnown);
    if (!known || !seen.insert(member.key).second) return false;
  }
  return true;
}

std::string CommandOf(const CallFacts& facts) {
  if (facts.kind != "execute") return "";
  json::Parser parser;
  const auto input = parser.Parse(facts.raw_input_json);
  const absl::string_view title = SplitTitle(facts.title, facts.text).command;
  if (!input.ok()) return std::string(title);
  const json::Value command = input->Get("command");
  if (command.IsString()) return std::string(command.StringOr(""));
  std::string words;
  for (const json::Value word : command.items()) {
    absl::StrAppend(&words, words.empty() ? "" : " ", word.StringOr("?"));
  }
  return words.empty() ? std::string(title) : words;
}

std::string FolderOf(const CallFacts& facts) {
  if (facts.kind != "execute") return "";
  json::Parser parser;
  const auto input = parser.Parse(facts.raw_input_json);
  if (input.ok()) {
    for (const char* name : {"cwd", "workdir", "dir_path", "directory"}) {
      const absl::string_view folder = input->Get(name).StringOr("");
      if (!folder.empty()) return std::string(folder);
    }
    return "";
  }
  return std::string(SplitTitle(facts.title, facts.text).cwd);
}

}  // namespace troika::acp
