// Handles the agent's messages and its tools' results.

#include <charconv>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "agent/claude/content.h"
#include "agent/claude/parse.h"
#include "agent/tool_names.h"

namespace troika::claude {
namespace {

// Parses "Exit code 3\n…", which the output begins with since 2.0.50.
std::optional<int> ExitCodeOf(absl::string_view output) {
  if (!absl::ConsumePrefix(&output, "Exit code ")) return std::nullopt;
  int code = 0;
  const std::from_chars_result r =
      std::from_chars(output.data(), output.data() + output.size(), code);
  if (r.ec != std::errc()) return std::nullopt;
  return code;
}

// Strips the tags that the CLI puts around the output of a slash command.
bool ConsumeCommandOutput(absl::string_view* text) {
  for (const absl::string_view tag :
       {"local-command-stdout", "local-command-stderr"}) {
    if (absl::ConsumePrefix(text, absl::StrCat("<", tag, ">"))) {
      absl::ConsumeSuffix(text, absl::StrCat("</", tag, ">"));
      return true;
    }
  }
  return false;
}

// The CLI puts this into the conversation in the user's name if a turn is
// interrupted: "[Request interrupted by user for tool use]".
bool IsInterruption(absl::string_view text) {
  return absl::ConsumePrefix(&text, "[Request interrupted by user") &&
         (text == "]" || text == " for tool use]");
}

}  // namespace

void ClaudeProtocol::OnAssistant(json::Value line, Emitter& out) {
  const auto wire = Read<MessageLine>(line, Scope("assistant"));
  const auto message =
      Read<ApiMessage>(wire.message, Scope("assistant.message"));
  SetParent(wire.parent_tool_use_id, out);
  if (wire.parent_tool_use_id.empty()) {
    ledger().StartTurn();
    last_message_ = std::string(wire.uuid);
  }
  for (const json::Value item : message.content.items()) {
    OnAssistantBlock(Read<Block>(item, Scope("assistant.message.content")),
                     message.id, wire.parent_tool_use_id, out);
  }
  if (message.content.IsString()) {
    out.Emit(Text{std::string(message.content.StringOr(""))});
  }
  if (out.empty()) out.EmitRaw("assistant", "it has no content");
  if (!message.usage.IsObject()) return;
  // Lines of the same message repeat its usage.
  const TokenCounts before = usage_.so_far();
  const TokenCounts counts = CountsOf(
      Read<TokenUsage>(message.usage, Scope("assistant.message.usage")),
      drift());
  usage_.AddMessage(message.id, counts);
  const TokenCounts now = usage_.so_far();
  if (now == before) return;
  out.EmitFor("", meter().PeekTurn(now));
  AddSubagentUsage(wire.parent_tool_use_id, message.id, counts, out);
}

void ClaudeProtocol::AddSubagentUsage(absl::string_view parent,
                                      absl::string_view message_id,
                                      const TokenCounts& counts, Emitter& out) {
  const std::string id(parent);
  if (id.empty() || (!subagent_usage_.contains(id) &&
                     subagent_usage_.size() == kMaxSubagents)) {
    return;
  }
  TurnUsage& usage = subagent_usage_[id];
  usage.AddMessage(message_id, counts);
  // The CLI tells no costs of subagents.
  out.Emit(Usage{.turn = usage.so_far(), .total = usage.so_far()});
}

void ClaudeProtocol::OnAssistantBlock(const Block& block,
                                      absl::string_view message_id,
                                      absl::string_view parent, Emitter& out) {
  if (block.type == "text") {
    out.Emit(Text{std::string(block.text)},
             blocks_.TakeBlock(parent, message_id, StreamBlocks::Kind::kText));
  } else if (block.type == "thinking" || block.type == "redacted_thinking") {
    // Redacted thinking has no text, but shows that the agent was thinking.
    out.Emit(
        Thinking{std::string(block.thinking)},
        blocks_.TakeBlock(parent, message_id, StreamBlocks::Kind::kThinking));
  } else if (block.type == "tool_use" || block.type == "server_tool_use" ||
             block.type == "mcp_tool_use") {
    OnToolUse(block, out);
  } else if (absl::EndsWith(block.type, "tool_result")) {
    (void)OnToolResult(block, json::Value(), out);
  } else {
    OnUnknown("assistant", block.type, out);
  }
}

void ClaudeProtocol::OnToolUse(const Block& block, Emitter& out) {
  const ToolName name = NormalizeToolName(Harness::kClaude, block.name);
  ledger().StartTool(
      block.id,
      ToolUse{.id = "",
              .name = std::string(name.name),
              .native_name = std::string(block.name),
              .server = std::string(name.server.empty() ? block.server_name
                                                        : name.server),
              .input_json = block.input.ToJson()},
      out);
  if (name.name == "Bash") commands_.emplace(block.id);
  std::optional<Todo> todo =
      todos_.OnToolUse(block.id, block.name, block.input);
  if (todo) out.Emit(*std::move(todo));
}

void ClaudeProtocol::OnUser(json::Value line, Emitter& out) {
  const auto wire = Read<MessageLine>(line, Scope("user"));
  const auto message = Read<ApiMessage>(wire.message, Scope("user.message"));
  SetParent(wire.parent_tool_use_id, out);
  if (message.content.size() == 0 && !message.content.IsString()) {
    return out.EmitRaw("user", "it has no content");
  }
  // With several results in a line, we could not tell which one it describes.
  const json::Value tool_use_result =
      message.content.size() == 1 ? wire.tool_use_result : json::Value();
  UserInput input;
  bool has_input = message.content.IsString();
  bool todos_changed = false;
  AppendText(message.content.StringOr(""), &input.text);
  for (const json::Value item : message.content.items()) {
    const auto block = Read<Block>(item, Scope("user.message.content"));
    if (absl::EndsWith(block.type, "tool_result")) {
      todos_changed |= OnToolResult(block, tool_use_result, out);
    } else if (block.type == "text") {
      has_input = true;
      AppendText(block.text, &input.text);
    } else if (block.type == "image") {
      has_input = true;
      ++input.images;
    } else {
      OnUnknown("user", block.type, out);
    }
  }
  if (todos_changed) out.Emit(todos_.list());
  if (has_input) OnUserText(wire, std::move(input), out);
}

void ClaudeProtocol::OnUserText(const MessageLine& line, UserInput input,
                                Emitter& out) {
  absl::string_view text = input.text;
  if (IsInterruption(text)) {
    out.Emit(Notice{.kind = Notice::Kind::kInfo,
                    .text = "the agent's work was interrupted"});
  } else if (ConsumeCommandOutput(&text) || line.is_synthetic.value_or(false)) {
    out.Emit(Notice{.kind = Notice::Kind::kInfo, .text = std::string(text)});
  } else if (!line.is_replay.value_or(false) || !TakeWritten(text)) {
    out.Emit(std::move(input));
  }
}

bool ClaudeProtocol::OnToolResult(const Block& block,
                                  json::Value tool_use_result, Emitter& out) {
  if (!ledger().IsRunning(block.tool_use_id)) {
    out.EmitRaw(block.type, ledger().WasAbandoned(block.tool_use_id)
                                ? "the turn of its tool use has ended"
                                : "no tool use of this id is running");
    return false;
  }
  const auto details = Read<ToolUseResult>(tool_use_result, {});
  ToolResult result;
  result.output = ToolOutput(block.content, drift());
  result.is_error =
      block.is_error.value_or(false) || IsToolError(block.content);
  result.duration =
      details.duration ? details.duration : details.total_duration;
  if (commands_.erase(block.tool_use_id) > 0 && result.is_error) {
    result.exit_code = ExitCodeOf(result.output);
  }
  const bool todos_changed =
      todos_.OnToolResult(block.tool_use_id, result, details);
  (void)ledger().EndTool(block.tool_use_id, std::move(result), out);
  requests_.OnToolEnded(block.tool_use_id, out);
  return todos_changed;
}

}  // namespace troika::claude
