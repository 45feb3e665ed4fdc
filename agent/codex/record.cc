#include "agent/codex/record.h"

#include <algorithm>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "agent/usage_meter.h"
#include "base/json_writer.h"

namespace troika::codex {
namespace {

constexpr RecordField<Line> kLine[] = {
    {"type", &Line::type},
    {"thread_id", &Line::thread_id},
    {"item", &Line::item},
    {"usage", &Line::usage},
    {"error", &Line::error},
    {"message", &Line::message},
    {"session_id", &Line::session_id},
    {"msg", &Line::msg},
    {"id"},
};

constexpr RecordField<Item> kItem[] = {
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

constexpr RecordField<TodoItem> kTodoItem[] = {
    {"text", &TodoItem::text},
    {"completed", &TodoItem::completed},
};

constexpr RecordField<AgentState> kAgentState[] = {
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
    {"structuredContent", &McpResult::structured_content},
    {"_meta, is_error, isError"},
};

constexpr RecordField<Settings> kSettings[] = {
    {"model", &Settings::model},
    {"workdir", &Settings::workdir},
    {"sandbox", &Settings::sandbox},
    {"approval", &Settings::approval},
    {"prompt", &Settings::prompt},
    {"provider, reasoning effort, reasoning summaries"},
};

constexpr RecordField<Msg> kMsg[] = {
    {"type", &Msg::type},
    {"call_id", &Msg::call_id},
    {"command", &Msg::command},
    {"cwd", &Msg::cwd},
    {"chunk", &Msg::chunk},
    {"stdout", &Msg::stdout_text},
    {"stderr", &Msg::stderr_text},
    {"aggregated_output", &Msg::aggregated_output},
    {"exit_code", &Msg::exit_code},
    {"duration", &Msg::duration},
    {"text", &Msg::text},
    {"message", &Msg::message},
    {"delta", &Msg::delta},
    {"changes", &Msg::changes},
    {"success", &Msg::success},
    {"invocation", &Msg::invocation},
    {"result", &Msg::result},
    {"query", &Msg::query},
    {"plan", &Msg::plan},
    {"info", &Msg::info},
    {"rate_limits", &Msg::rate_limits},
    {"unified_diff", &Msg::unified_diff},
    {"last_agent_message", &Msg::last_agent_message},
    {"reason", &Msg::reason},
    {"session_id", &Msg::session_id},
    {"model", &Msg::model},
    {"parsed_cmd, stream, formatted_output, auto_approved, explanation, "
     "model_context_window, reasoning_effort, history_log_id, "
     "history_entry_count, initial_messages, rollout_path"},
};

constexpr RecordField<PlanStep> kPlanStep[] = {
    {"step", &PlanStep::step},
    {"status", &PlanStep::status},
};

constexpr RecordField<Invocation> kInvocation[] = {
    {"server", &Invocation::server},
    {"tool", &Invocation::tool},
    {"arguments", &Invocation::arguments},
};

struct TokenInfo {
  json::Value total;
};

constexpr RecordField<TokenInfo> kTokenInfoFields[] = {
    {"total_token_usage", &TokenInfo::total},
    {"last_token_usage, model_context_window"},
};

bool NeedsNoQuotes(absl::string_view word) {
  constexpr absl::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./"
      "=:,+@%";
  return !word.empty() &&
         word.find_first_not_of(kPlain) == absl::string_view::npos;
}

}  // namespace

TROIKA_READ(Line)
TROIKA_READ(Item)
TROIKA_READ(TodoItem)
TROIKA_READ(AgentState)
TROIKA_READ(Settings)
TROIKA_READ(Msg)
TROIKA_READ(PlanStep)
TROIKA_READ(Invocation)

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

json::Value TotalUsage(json::Value info, Drift* drift) {
  TokenInfo out;
  ReadFields(info, kTokenInfoFields, {drift, "msg.info"}, &out);
  return out.total;
}

std::optional<absl::Duration> ReadDuration(json::Value duration) {
  const std::optional<int64_t> seconds = duration.Get("secs").Int();
  const std::optional<int64_t> nanos = duration.Get("nanos").Int();
  if (!seconds || *seconds < 0) return std::nullopt;
  return absl::Seconds(*seconds) + absl::Nanoseconds(nanos.value_or(0));
}

std::string CommandLine(json::Value words) {
  if (words.IsString()) return std::string(words.StringOr(""));
  std::string line;
  for (const json::Value value : words.items()) {
    const absl::string_view word = value.StringOr("");
    if (!line.empty()) line.push_back(' ');
    if (NeedsNoQuotes(word)) {
      absl::StrAppend(&line, word);
    } else {
      absl::StrAppend(&line, "'", absl::StrReplaceAll(word, {{"'", "'\\''"}}),
                      "'");
    }
  }
  return line;
}

std::string ChangesJson(json::Value changes) {
  std::string out = "[";
  for (const json::Member& file : changes.members()) {
    json::ObjectWriter change;
    change.String("path", file.key);
    for (const json::Member& kind : file.value.members()) {
      change.String("kind", kind.key).Members(kind.value);
      break;  // A change is of one kind.
    }
    absl::StrAppend(&out, out.size() > 1 ? "," : "", change.Take());
  }
  out.push_back(']');
  return out;
}

}  // namespace troika::codex
