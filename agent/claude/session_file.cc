#include "agent/claude/session_file.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/claude/content.h"
#include "agent/claude/record.h"
#include "agent/claude/todo_list.h"
#include "agent/claude/turn_usage.h"
#include "agent/session_file_protocol.h"
#include "agent/tool_names.h"

namespace troika::claude {
namespace {

// Entries for the CLI itself: settings, titles, and what it adds to prompts.
constexpr absl::string_view kQuietTypes[] = {"agent-name",
                                             "ai-title",

                                             "atis-latch",
                                             "cost-state",
                                             "attachment",
                                             "custom-title",
                                             "file-history-snapshot",
                                             "last-prompt",
                                             "mode",
                                             "permission-mode",
                                             "progress",
                                             "queue-operation",
                                             "summary"};

bool IsQuiet(absl::string_view type) {
  // Requests to the model, kept in parts since 2.1.325.
  if (absl::StartsWith(type, "api-request")) return true;
  return std::find(std::begin(kQuietTypes), std::end(kQuietTypes), type) !=
         std::end(kQuietTypes);
}

class TranscriptProtocol final : public SessionFileProtocol {
 public:
  explicit TranscriptProtocol(const ProtocolOptions& options)
      : SessionFileProtocol(options) {}

 private:
  void OnEntry(json::Value entry, Emitter& out) override;
  Usage TakeUsage() override;

  void OnHead(json::Value entry, Emitter& out);
  void OnUser(json::Value entry, Emitter& out);
  void OnPrompt(json::Value entry, UserInput input, Emitter& out);
  // Returns whether the todo list changed.
  bool OnToolResult(const Block& block, json::Value details, Emitter& out);
  void OnAssistant(json::Value entry, Emitter& out);
  void OnBlock(const Block& block, Emitter& out);
  void OnSystem(json::Value entry, Emitter& out);

  TodoList todos_;
  TurnUsage usage_;
  bool has_head_ = false;
};

void TranscriptProtocol::OnEntry(json::Value entry, Emitter& out) {
  const absl::string_view type = entry.Get("type").StringOr("");
  if (entry.Get("isSidechain").BoolOr(false)) {
    return out.EmitRaw(type, "a subagent's message");
  }
  if (entry.Get("cwd").IsString() && !std::exchange(has_head_, true)) {
    OnHead(entry, out);
  }
  if (type == "user") {
    OnUser(entry, out);
  } else if (type == "assistant") {
    OnAssistant(entry, out);
  } else if (type == "system") {
    OnSystem(entry, out);
  } else if (!IsQuiet(type)) {
    ReportUnknown("type", type);
    out.EmitRaw(type);
  }
}

void TranscriptProtocol::OnHead(json::Value entry, Emitter& out) {
  set_session_id(entry.Get("sessionId").StringOr(""));
  out.Emit(Init{.session_id = session_id(),
                .cwd = std::string(entry.Get("cwd").StringOr("")),
                .version = std::string(entry.Get("version").StringOr(""))});
}

void TranscriptProtocol::OnUser(json::Value entry, Emitter& out) {
  const json::Value content = entry.Get("message").Get("content");
  // With several results in an entry, we could not tell which one it describes.
  const json::Value details =
      content.size() == 1 ? entry.Get("toolUseResult") : json::Value();
  bool has_input = content.IsString();
  bool todos_changed = false;
  for (const json::Value item : content.items()) {
    const auto block = Read<Block>(item, {});
    if (absl::EndsWith(block.type, "tool_result")) {
      todos_changed |= OnToolResult(block, details, out);
    } else {
      has_input = true;
    }
  }
  if (todos_changed) out.Emit(todos_.list());
  if (has_input) {
    OnPrompt(entry, PromptOf(content), out);
  } else if (content.size() == 0) {
    out.EmitRaw("user", "it has no content");
  }
}

void TranscriptProtocol::OnPrompt(json::Value entry, UserInput input,
                                  Emitter& out) {
  if (entry.Get("isCompactSummary").BoolOr(false)) {
    out.Emit(Notice{.kind = Notice::Kind::kCompaction, .text = input.text});
  } else if (absl::StartsWith(input.text, "[Request interrupted by user")) {
    out.Emit(Notice{.text = "the agent's work was interrupted"});
  } else if (entry.Get("isMeta").BoolOr(false) ||
             absl::StartsWith(input.text, "<command-") ||
             absl::StartsWith(input.text, "<local-command-")) {
    out.Emit(Notice{.text = input.text});
  } else {
    BeginTurn(out);
    out.Emit(std::move(input));
  }
}

bool TranscriptProtocol::OnToolResult(const Block& block, json::Value details,
                                      Emitter& out) {
  if (!ledger().IsRunning(block.tool_use_id)) {
    out.EmitRaw(block.type, "no tool use of this id is running");
    return false;
  }
  const auto known = Read<ToolUseResult>(details, {});
  ToolResult result;
  result.output = ToolOutput(block.content, nullptr);
  result.is_error =
      block.is_error.value_or(false) || IsToolError(block.content);
  result.duration = known.duration ? known.duration : known.total_duration;
  const bool changed = todos_.OnToolResult(block.tool_use_id, result, known);
  (void)ledger().EndTool(block.tool_use_id, std::move(result), out);
  return changed;
}

void TranscriptProtocol::OnAssistant(json::Value entry, Emitter& out) {
  const auto message = Read<ApiMessage>(entry.Get("message"), {});
  const absl::string_view model =
      entry.Get("message").Get("model").StringOr("");
  BeginTurnIfNone(out);
  // The CLI makes answers of its own, such as after an interrupt.
  if (model != "<synthetic>") SetModel(model, out);
  if (message.usage.IsObject()) {
    usage_.AddMessage(message.id,
                      CountsOf(Read<TokenUsage>(message.usage, {}), nullptr));
  }
  for (const json::Value item : message.content.items()) {
    OnBlock(Read<Block>(item, {}), out);
  }
  if (message.content.IsString()) Say(message.content.StringOr(""), out);
}

void TranscriptProtocol::OnBlock(const Block& block, Emitter& out) {
  if (block.type == "text") {
    Say(block.text, out);
  } else if (block.type == "thinking" || block.type == "redacted_thinking") {
    out.Emit(Thinking{.text = std::string(block.thinking)});
  } else if (block.type == "tool_use" || block.type == "server_tool_use" ||
             block.type == "mcp_tool_use") {
    const ToolName name = NormalizeToolName(Harness::kClaude, block.name);
    ledger().StartTool(
        block.id,
        ToolUse{
            .name = std::string(name.name),
            .native_name = std::string(block.name),
            .server = std::string(name.server),
            .input_json = block.input.exists() ? block.input.ToJson() : "{}"},
        out);
    std::optional<Todo> todo =
        todos_.OnToolUse(block.id, block.name, block.input);
    if (todo) out.Emit(*std::move(todo));
  } else if (absl::EndsWith(block.type, "tool_result")) {
    (void)OnToolResult(block, json::Value(), out);
  } else {
    ReportUnknown("assistant", block.type);
    out.EmitRaw(absl::StrCat("assistant/", block.type));
  }
}

void TranscriptProtocol::OnSystem(json::Value entry, Emitter& out) {
  const absl::string_view subtype = entry.Get("subtype").StringOr("");
  const absl::string_view content = entry.Get("content").StringOr("");
  if (subtype == "compact_boundary") {
    out.Emit(Notice{.kind = Notice::Kind::kCompaction,
                    .text = "the context was compacted"});
  } else if (subtype == "api_error") {
    out.Emit(
        Notice{.kind = Notice::Kind::kRetrying, .text = std::string(content)});
  } else if (!content.empty()) {
    out.Emit(Notice{.text = std::string(content)});
  }
}

Usage TranscriptProtocol::TakeUsage() {
  // No result tells the turn's tokens, so those of its messages are added up.
  return usage_.End(ResultLine(), nullptr, meter());
}

}  // namespace

std::unique_ptr<Protocol> NewSessionFileProtocol(
    const ProtocolOptions& options) {
  return std::make_unique<TranscriptProtocol>(options);
}

}  // namespace troika::claude
