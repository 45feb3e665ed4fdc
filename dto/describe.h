// The one place where a Message becomes the fields of dto/troika.proto.
//
// DescribeEvent names every field to a sink, and sinks know encodings: JSON
// (dto/json.cc), protobuf's wire (dto/event.cc), text (dto/text.cc). A sink is
// any class with these members; `number` and `name` are the field's, in the
// .proto and in JSON:
//
//   void String(int number, absl::string_view name, absl::string_view value);
//   void Bool, Int32, Int64, Double (number, name, value);
//   void SetInt32, SetDouble (number, name, value);
//       // Of fields that may be unset and are not.
//   void Enum(number, name, int value, absl::string_view spelling);
//   void Time(number, name, absl::Time);
//   void Duration(number, name, absl::Duration);
//   void Json(number, name, absl::string_view json);  // A protobuf Value.
//   void Strings(number, name, const std::vector<std::string>&);
//   void Message(number, name, body);  // body() describes the fields within.
//   void SetMessage(number, name, body);
//   void Messages(number, name, items, body);  // body(item), for each.
#ifndef TROIKA_DTO_DESCRIBE_H_
#define TROIKA_DTO_DESCRIBE_H_

#include <iterator>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "agent/message.h"

namespace troika {

struct PayloadField {
  int number;
  absl::string_view name;
};

// In the order of Payload's types.
inline constexpr PayloadField kPayloadFields[] = {
    {10, "init"},          {11, "userInput"},       {12, "text"},
    {13, "thinking"},      {14, "toolUse"},         {15, "toolResult"},
    {16, "todo"},          {17, "approval"},        {18, "question"},
    {19, "usage"},         {20, "rateLimit"},       {21, "subagent"},
    {22, "diff"},          {23, "notice"},          {24, "result"},
    {25, "raw"},           {26, "parseError"},      {27, "textDelta"},
    {28, "thinkingDelta"}, {29, "toolOutputDelta"}, {30, "lifecycle"}};
static_assert(std::size(kPayloadFields) == std::variant_size_v<Payload>);

// The enums' values have the numbers of the .proto, and these names.
inline absl::string_view Spelling(CostSource source) {
  static constexpr absl::string_view kNames[] = {"none", "reported",
                                                 "estimated"};
  return kNames[static_cast<int>(source)];
}
inline absl::string_view Spelling(Todo::Status status) {
  static constexpr absl::string_view kNames[] = {"pending", "in_progress",
                                                 "completed", "cancelled"};
  return kNames[static_cast<int>(status)];
}
inline absl::string_view Spelling(Approval::State state) {
  static constexpr absl::string_view kNames[] = {"asked", "allowed", "denied",
                                                 "cancelled"};
  return kNames[static_cast<int>(state)];
}
inline absl::string_view Spelling(Question::State state) {
  static constexpr absl::string_view kNames[] = {"asked", "answered",
                                                 "cancelled"};
  return kNames[static_cast<int>(state)];
}
inline absl::string_view Spelling(Subagent::Phase phase) {
  static constexpr absl::string_view kNames[] = {"started", "progress",
                                                 "ended"};
  return kNames[static_cast<int>(phase)];
}
inline absl::string_view Spelling(Notice::Kind kind) {
  static constexpr absl::string_view kNames[] = {
      "info",           "turn_started",   "retrying", "model_rerouted",
      "config_warning", "compaction",     "error",    "permission_denied",
      "hook",           "background_task"};
  return kNames[static_cast<int>(kind)];
}

inline absl::string_view Spelling(Lifecycle::Kind kind) {
  static constexpr absl::string_view kNames[] = {
      "created",      "turn_asked",      "spawned",
      "start_failed", "interrupt_asked", "stop_asked",
      "deadline",     "signalled",       "input_closed",
      "leftover",     "trouble",         "exited",
      "lost",         "cancelled"};
  return kNames[static_cast<int>(kind)];
}

template <typename E, typename Out>
void DescribeEnum(int number, absl::string_view name, E value, Out& out) {
  out.Enum(number, name, static_cast<int>(value), Spelling(value));
}

template <typename Out>
void Describe(const Init& m, Out& out) {
  out.String(1, "sessionId", m.session_id);
  out.String(2, "model", m.model);
  out.String(3, "cwd", m.cwd);
  out.String(4, "version", m.version);
  out.String(5, "permissionMode", m.permission_mode);
  out.Strings(6, "tools", m.tools);
  out.Strings(7, "mcpServers", m.mcp_servers);
}

template <typename Out>
void Describe(const UserInput& m, Out& out) {
  out.String(1, "text", m.text);
  out.Int32(2, "images", m.images);
}

template <typename Out>
void Describe(const Text& m, Out& out) {
  out.String(1, "text", m.text);
}

template <typename Out>
void Describe(const Thinking& m, Out& out) {
  out.String(1, "text", m.text);
}

template <typename Out>
void Describe(const ToolUse& m, Out& out) {
  out.String(1, "id", m.id);
  out.String(2, "name", m.name);
  out.String(3, "nativeName", m.native_name);
  out.String(4, "server", m.server);
  if (!m.input_json.empty()) out.Json(5, "input", m.input_json);
}

template <typename Out>
void Describe(const ToolResult& m, Out& out) {
  out.String(1, "toolUseId", m.tool_use_id);
  out.String(2, "output", m.output);
  out.Bool(3, "isError", m.is_error);
  if (m.exit_code) out.SetInt32(4, "exitCode", *m.exit_code);
  if (m.duration) out.Duration(5, "duration", *m.duration);
  out.Bool(6, "synthetic", m.synthetic);
}

template <typename Out>
void Describe(const Todo::Item& m, Out& out) {
  out.String(1, "text", m.text);
  DescribeEnum(2, "status", m.status, out);
}

template <typename Out>
void Describe(const Todo& m, Out& out) {
  out.Messages(1, "items", m.items, [&](const auto& i) { Describe(i, out); });
}

template <typename Out>
void Describe(const Approval& m, Out& out) {
  out.String(1, "id", m.id);
  DescribeEnum(2, "state", m.state, out);
  out.String(3, "toolUseId", m.tool_use_id);
  out.String(4, "toolName", m.tool_name);
  if (!m.input_json.empty()) out.Json(5, "input", m.input_json);
  out.String(6, "reason", m.reason);
}

template <typename Out>
void Describe(const Question::Item& m, Out& out) {
  out.String(1, "header", m.header);
  out.String(2, "text", m.text);
  out.Strings(3, "options", m.options);
  out.Bool(4, "multiSelect", m.multi_select);
  out.Strings(5, "answers", m.answers);
}

template <typename Out>
void Describe(const Question& m, Out& out) {
  out.String(1, "id", m.id);
  DescribeEnum(2, "state", m.state, out);
  out.String(3, "toolUseId", m.tool_use_id);
  out.Messages(4, "items", m.items, [&](const auto& i) { Describe(i, out); });
}

template <typename Out>
void Describe(const TokenCounts& m, Out& out) {
  out.Int64(1, "inputTokens", m.input);
  out.Int64(2, "cachedInputTokens", m.cached);
  out.Int64(3, "cacheWriteInputTokens", m.cache_write);
  out.Int64(4, "outputTokens", m.output);
  out.Int64(5, "reasoningOutputTokens", m.reasoning);
}

template <typename Out>
void Describe(const Usage& m, Out& out) {
  if (m.turn) out.SetMessage(1, "turn", [&] { Describe(*m.turn, out); });
  out.Message(2, "total", [&] { Describe(m.total, out); });
  out.Double(3, "costUsd", m.turn_cost.usd);
  DescribeEnum(4, "costSource", m.turn_cost.source, out);
  out.Double(5, "totalCostUsd", m.total_cost.usd);
  DescribeEnum(6, "totalCostSource", m.total_cost.source, out);
}

template <typename Out>
void Describe(const RateLimit& m, Out& out) {
  out.String(1, "status", m.status);
  out.String(2, "window", m.window);
  if (m.resets_at) out.Time(3, "resetsAt", *m.resets_at);
  if (m.used) out.SetDouble(4, "used", *m.used);
}

template <typename Out>
void Describe(const Subagent& m, Out& out) {
  DescribeEnum(1, "phase", m.phase, out);
  out.String(2, "id", m.id);
  out.String(3, "toolUseId", m.tool_use_id);
  out.String(4, "kind", m.kind);
  out.String(5, "description", m.description);
  out.String(6, "status", m.status);
}

template <typename Out>
void Describe(const Diff& m, Out& out) {
  out.String(1, "unifiedDiff", m.unified_diff);
}

template <typename Out>
void Describe(const Notice& m, Out& out) {
  DescribeEnum(1, "kind", m.kind, out);
  out.String(2, "text", m.text);
}

template <typename Out>
void Describe(const Result& m, Out& out) {
  out.Bool(1, "isError", m.is_error);
  out.String(2, "error", m.error);
  out.String(3, "text", m.text);
  out.String(4, "reason", m.reason);
  out.Message(5, "usage", [&] { Describe(m.usage, out); });
  out.Double(6, "costUsd", m.usage.turn_cost.usd);
  DescribeEnum(7, "costSource", m.usage.turn_cost.source, out);
  if (m.duration) out.Duration(8, "duration", *m.duration);
  out.Bool(9, "synthetic", m.synthetic);
  out.String(10, "hint", m.hint);
}

template <typename Out>
void Describe(const Lifecycle& m, Out& out) {
  DescribeEnum(1, "kind", m.kind, out);
  out.Int32(2, "generation", m.generation);
  out.Int32(3, "turn", m.turn);
  out.String(4, "by", m.by);
  out.String(5, "text", m.text);
  if (m.exit_code) out.SetInt32(6, "exitCode", *m.exit_code);
  if (m.signal) out.SetInt32(7, "signal", *m.signal);
}

template <typename Out>
void Describe(const Raw& m, Out& out) {
  out.String(1, "type", m.type);
  out.String(2, "line", m.line);
  out.String(3, "reason", m.reason);
  out.Int64(4, "offset", m.offset);
  out.Int64(5, "size", m.size);
  if (m.lines > 0) {
    out.SetInt32(6, "lines", m.lines);
    out.Int64(7, "firstRecord", m.first_record);
  }
}

template <typename Out>
void Describe(const ParseError& m, Out& out) {
  out.String(1, "error", m.error);
  out.String(2, "snippet", m.snippet);
  out.Int64(3, "offset", m.offset);
  out.Int64(4, "size", m.size);
}

template <typename Out>
void Describe(const TextDelta& m, Out& out) {
  out.String(1, "text", m.text);
}

template <typename Out>
void Describe(const ThinkingDelta& m, Out& out) {
  out.String(1, "text", m.text);
}

template <typename Out>
void Describe(const ToolOutputDelta& m, Out& out) {
  out.String(1, "toolUseId", m.tool_use_id);
  out.String(2, "text", m.text);
}

template <typename Out>
void DescribeEvent(const Message& m, absl::string_view task_id, Out& out) {
  out.String(1, "id", absl::StrCat(m.id.record, ".", m.id.index));
  if (m.time) out.Time(2, "time", *m.time);
  out.String(3, "taskId", task_id);
  if (!m.parent_tool_use_id.empty()) {
    out.String(4, "parentToolUseId", m.parent_tool_use_id);
  }
  if (!m.block_id.empty()) out.String(5, "blockId", m.block_id);
  const PayloadField& field = kPayloadFields[m.payload.index()];
  std::visit(
      [&](const auto& payload) {
        out.Message(field.number, field.name, [&] { Describe(payload, out); });
      },
      m.payload);
}

}  // namespace troika

#endif  // TROIKA_DTO_DESCRIBE_H_
