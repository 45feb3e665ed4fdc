#include "agent/codex/record.h"

#include <algorithm>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "agent/fields.h"
#include "agent/usage_meter.h"

namespace troika::codex {
namespace {

constexpr RecordField<Line> kLineFields[] = {
    {"type", &Line::type},
    {"thread_id", &Line::thread_id},
    {"item", &Line::item},
    {"usage", &Line::usage},
    {"error", &Line::error},
    {"message", &Line::message},
    {"session_id", &Line::session_id},
    {"id"},
    {"msg", &Line::msg},
};

constexpr RecordField<Item> kItemFields[] = {
    {"id", &Item::id},
    {"type", &Item::type},
    {"item_type", &Item::item_type},
    {"command", &Item::command},
    {"aggregated_output", &Item::aggregated_output},
    {"exit_code", &Item::exit_code},
    {"text", &Item::text},
    {"changes", &Item::changes},
    {"server", &Item::server},
    {"tool", &Item::tool},
    {"arguments", &Item::arguments},
    {"result", &Item::result},
    {"error", &Item::error},
    {"query", &Item::query},
    {"action", &Item::action},
    {"items", &Item::items},
    {"message", &Item::message},
    {"sender_thread_id", &Item::sender_thread_id},
    {"receiver_thread_ids", &Item::receiver_thread_ids},
    {"prompt", &Item::prompt},
    {"agents_states", &Item::agents_states},
    {"status", &Item::status},
};

constexpr RecordField<TodoItem> kTodoItemFields[] = {
    {"text", &TodoItem::text},
    {"completed", &TodoItem::completed},
};

constexpr RecordField<AgentState> kAgentStateFields[] = {
    {"status", &AgentState::status},
    {"message", &AgentState::message},
};

// The wire's counts, whose input includes cached tokens.
struct WireUsage {
  std::optional<int64_t> input;
  std::optional<int64_t> cached;
  std::optional<int64_t> cache_write;
  std::optional<int64_t> output;
  std::optional<int64_t> reasoning;
};

constexpr RecordField<WireUsage> kUsageFields[] = {
    {"input_tokens", &WireUsage::input},
    {"cached_input_tokens", &WireUsage::cached},
    {"cache_write_input_tokens", &WireUsage::cache_write},
    {"output_tokens", &WireUsage::output},
    {"reasoning_output_tokens", &WireUsage::reasoning},
    {"total_tokens"},
};

struct McpResult {
  json::Value content;
  json::Value structured_content;
};

constexpr RecordField<McpResult> kMcpResultFields[] = {
    {"content", &McpResult::content},
    {"structured_content", &McpResult::structured_content},
    {"_meta"},
    {"is_error"},
    {"isError"},
    {"structuredContent", &McpResult::structured_content},
};

}  // namespace

Line ReadLine(json::Value line, Drift* drift) {
  Line out;
  ReadFields(line, kLineFields, {drift, "line"}, &out);
  return out;
}

Item ReadItem(json::Value item, Drift* drift) {
  Item out;
  ReadFields(item, kItemFields, {drift, "item"}, &out);
  if (out.type.empty()) out.type = out.item_type;
  return out;
}

TodoItem ReadTodoItem(json::Value item, Drift* drift) {
  TodoItem out;
  ReadFields(item, kTodoItemFields, {drift, "item.items[]"}, &out);
  return out;
}

AgentState ReadAgentState(json::Value state, Drift* drift) {
  AgentState out;
  ReadFields(state, kAgentStateFields, {drift, "item.agents_states{}"}, &out);
  return out;
}

std::optional<TokenCounts> ReadUsage(json::Value usage, Drift* drift) {
  if (!usage.IsObject()) return std::nullopt;
  WireUsage wire;
  ReadFields(usage, kUsageFields, {drift, "usage"}, &wire);
  TokenCounts counts;
  counts.cached = TokenCount(wire.cached);
  counts.cache_write = TokenCount(wire.cache_write);
  counts.input = std::max<int64_t>(
      0, TokenCount(wire.input) - counts.cached - counts.cache_write);
  counts.output = TokenCount(wire.output);
  counts.reasoning = TokenCount(wire.reasoning);
  return counts;
}

std::string ErrorText(json::Value error) {
  if (error.IsString()) return std::string(error.StringOr(""));
  const json::Value message = error.Get("message");
  if (message.IsString()) return std::string(message.StringOr(""));
  return error.exists() && !error.IsNull() ? error.ToJson() : "";
}

std::optional<int> ExitCode(std::optional<int64_t> wire) {
  if (!wire || *wire < std::numeric_limits<int>::min() ||
      *wire > std::numeric_limits<int>::max()) {
    return std::nullopt;
  }
  return static_cast<int>(*wire);
}

bool IsMcpError(json::Value result) {
  return result.Get("is_error").BoolOr(false) ||
         result.Get("isError").BoolOr(false);
}

std::string McpResultText(json::Value result, Drift* drift) {
  if (result.IsString()) return std::string(result.StringOr(""));
  McpResult record;
  ReadFields(result, kMcpResultFields, {drift, "item.result"}, &record);
  std::string text;
  for (const json::Value block : record.content.items()) {
    if (!text.empty()) text.push_back('\n');
    const json::Value block_text = block.Get("text");
    if (block_text.IsString()) {
      absl::StrAppend(&text, block_text.StringOr(""));
    } else {
      block.AppendJson(&text);
    }
  }
  if (text.empty() && record.structured_content.exists() &&
      !record.structured_content.IsNull()) {
    text = record.structured_content.ToJson();
  }
  return text;
}

}  // namespace troika::codex
