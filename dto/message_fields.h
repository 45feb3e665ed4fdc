// The fields of a message as dto/troika.proto has them: their numbers and their
// names in JSON. Every encoding, in both directions, goes by these tables
// (base/fields.h); dto/message_fields_test.cc compares them with the .proto.
#ifndef TROIKA_DTO_MESSAGE_FIELDS_H_
#define TROIKA_DTO_MESSAGE_FIELDS_H_

#include <iterator>
#include <tuple>
#include <variant>

#include "absl/strings/string_view.h"
#include "agent/message.h"
#include "base/fields.h"

namespace troika {

template <>
inline constexpr auto kEnumNames<CostSource> = EnumNames("none", "reported",
                                                         "estimated");
template <>
inline constexpr auto kEnumNames<Todo::Status> =
    EnumNames("pending", "in_progress", "completed", "cancelled");
template <>
inline constexpr auto kEnumNames<Approval::State> =
    EnumNames("asked", "allowed", "denied", "cancelled");
template <>
inline constexpr auto kEnumNames<Approval::Kind> =
    EnumNames("tool", "command_line", "edit", "permission", "plan", "budget");
template <>
inline constexpr auto kEnumNames<Delivery> = EnumNames("unanswered", "accepted",
                                                       "delivered", "late");
template <>
inline constexpr auto kEnumNames<Question::State> = EnumNames("asked",
                                                              "answered",
                                                              "cancelled");
template <>
inline constexpr auto kEnumNames<Subagent::Phase> = EnumNames("started",
                                                              "progress",
                                                              "ended");
template <>
inline constexpr auto kEnumNames<Notice::Kind> = EnumNames(
    "info", "turn_started", "retrying", "model_rerouted", "config_warning",
    "compaction", "error", "permission_denied", "hook", "background_task");
template <>
inline constexpr auto kEnumNames<Lifecycle::Kind> = EnumNames(
    "created", "turn_asked", "spawned", "start_failed", "interrupt_asked",
    "stop_asked", "deadline", "signalled", "input_closed", "leftover",
    "trouble", "exited", "lost", "cancelled", "turn_waits");
template <>
inline constexpr auto kEnumNames<Receipt::State> =
    EnumNames("queued", "delivered", "failed", "withdrawn");

template <>
inline constexpr auto kFields<Init> =
    std::tuple{Field{1, "sessionId", &Init::session_id},
               Field{2, "model", &Init::model},
               Field{3, "cwd", &Init::cwd},
               Field{4, "version", &Init::version},
               Field{5, "permissionMode", &Init::permission_mode},
               Field{6, "tools", &Init::tools},
               Field{7, "mcpServers", &Init::mcp_servers},
               Field{8, "models", &Init::models}};

template <>
inline constexpr auto kFields<UserInput> = std::tuple{
    Field{1, "text", &UserInput::text}, Field{2, "images", &UserInput::images}};

template <>
inline constexpr auto kFields<Receipt> =
    std::tuple{Field{1, "id", &Receipt::id},
               Field{2, "state", &Receipt::state},
               Field{3, "text", &Receipt::text},
               Field{4, "images", &Receipt::images},
               Field{5, "by", &Receipt::by},
               Field{6, "turn", &Receipt::turn},
               Field{7, "reason", &Receipt::reason},
               Field{8, "interrupts", &Receipt::interrupts}};

template <>
inline constexpr auto kFields<Text> = std::tuple{Field{1, "text", &Text::text}};

template <>
inline constexpr auto kFields<Thinking> =
    std::tuple{Field{1, "text", &Thinking::text}};

template <>
inline constexpr auto kFields<ToolUse> =
    std::tuple{Field{1, "id", &ToolUse::id}, Field{2, "name", &ToolUse::name},
               Field{3, "nativeName", &ToolUse::native_name},
               Field{4, "server", &ToolUse::server},
               Field{5, "input", AsJson(&ToolUse::input_json)}};

template <>
inline constexpr auto kFields<ToolResult> =
    std::tuple{Field{1, "toolUseId", &ToolResult::tool_use_id},
               Field{2, "output", &ToolResult::output},
               Field{3, "isError", &ToolResult::is_error},
               Field{4, "exitCode", &ToolResult::exit_code},
               Field{5, "duration", &ToolResult::duration},
               Field{6, "synthetic", &ToolResult::synthetic},
               Field{7, "denied", IfSet(&ToolResult::denied)}};

template <>
inline constexpr auto kFields<Todo::Item> =
    std::tuple{Field{1, "text", &Todo::Item::text},
               Field{2, "status", &Todo::Item::status}};

template <>
inline constexpr auto kFields<Todo> =
    std::tuple{Field{1, "items", &Todo::items}};

template <>
inline constexpr auto kFields<Approval> =
    std::tuple{Field{1, "id", &Approval::id},
               Field{2, "state", &Approval::state},
               Field{3, "toolUseId", &Approval::tool_use_id},
               Field{4, "toolName", &Approval::tool_name},
               Field{5, "input", AsJson(&Approval::input_json)},
               Field{6, "reason", &Approval::reason},
               Field{8, "kind", &Approval::kind},
               Field{9, "command", &Approval::command},
               Field{10, "cwd", &Approval::cwd},
               Field{11, "diff", &Approval::diff},
               Field{12, "choices", &Approval::choices},
               Field{13, "choice", &Approval::choice},
               Field{14, "by", &Approval::by},
               Field{15, "via", &Approval::via},
               Field{16, "delivery", &Approval::delivery},
               Field{60, "user", &Approval::user},
               Field{61, "client", &Approval::client},
               Field{62, "rules", &Approval::rules},
               Field{63, "explanation", &Approval::explanation},
               Field{64, "server", &Approval::server},
               Field{65, "paths", &Approval::paths},
               Field{66, "exact", &Approval::exact},
               Field{67, "proposedRules", &Approval::proposed_rules},
               Field{68, "always", &Approval::always}};

template <>
inline constexpr auto kFields<Question::Item> =
    std::tuple{Field{1, "header", &Question::Item::header},
               Field{2, "text", &Question::Item::text},
               Field{3, "options", &Question::Item::options},
               Field{4, "multiSelect", &Question::Item::multi_select},
               Field{5, "answers", &Question::Item::answers},
               Field{6, "descriptions", &Question::Item::descriptions},
               Field{7, "secret", &Question::Item::secret}};

template <>
inline constexpr auto kFields<Question> =
    std::tuple{Field{1, "id", &Question::id},
               Field{2, "state", &Question::state},
               Field{3, "toolUseId", &Question::tool_use_id},
               Field{4, "items", &Question::items},
               Field{6, "by", &Question::by},
               Field{7, "via", &Question::via},
               Field{8, "delivery", &Question::delivery},
               Field{60, "user", &Question::user},
               Field{61, "client", &Question::client}};

template <>
inline constexpr auto kFields<TokenCounts> =
    std::tuple{Field{1, "inputTokens", &TokenCounts::input},
               Field{2, "cachedInputTokens", &TokenCounts::cached},
               Field{3, "cacheWriteInputTokens", &TokenCounts::cache_write},
               Field{4, "outputTokens", &TokenCounts::output},
               Field{5, "reasoningOutputTokens", &TokenCounts::reasoning}};

template <>
inline constexpr auto kFields<Usage> = std::tuple{
    Field{1, "turn", &Usage::turn},
    Field{2, "total", &Usage::total},
    Field{3, "costUsd", Within(&Usage::turn_cost, &Cost::usd)},
    Field{4, "costSource", Within(&Usage::turn_cost, &Cost::source)},
    Field{5, "totalCostUsd", Within(&Usage::total_cost, &Cost::usd)},
    Field{6, "totalCostSource", Within(&Usage::total_cost, &Cost::source)}};

template <>
inline constexpr auto kFields<RateLimit> =
    std::tuple{Field{1, "status", &RateLimit::status},
               Field{2, "window", &RateLimit::window},
               Field{3, "resetsAt", &RateLimit::resets_at},
               Field{4, "used", &RateLimit::used}};

template <>
inline constexpr auto kFields<Subagent> =
    std::tuple{Field{1, "phase", &Subagent::phase},
               Field{2, "id", &Subagent::id},
               Field{3, "toolUseId", &Subagent::tool_use_id},
               Field{4, "kind", &Subagent::kind},
               Field{5, "description", &Subagent::description},
               Field{6, "status", &Subagent::status}};

template <>
inline constexpr auto kFields<Diff> =
    std::tuple{Field{1, "unifiedDiff", &Diff::unified_diff}};

template <>
inline constexpr auto kFields<Notice> =
    std::tuple{Field{1, "kind", &Notice::kind}, Field{2, "text", &Notice::text},
               Field{3, "toolUseId", IfSet(&Notice::tool_use_id)},
               Field{60, "by", IfSet(&Notice::by)}};

template <>
inline constexpr auto kFields<Denial> = std::tuple{
    Field{1, "toolUseId", &Denial::tool_use_id},
    Field{2, "toolName", &Denial::tool_name},
    Field{3, "reason", &Denial::reason}, Field{4, "by", &Denial::by}};

template <>
inline constexpr auto kFields<Result> = std::tuple{
    Field{1, "isError", &Result::is_error},
    Field{2, "error", &Result::error},
    Field{3, "text", &Result::text},
    Field{4, "reason", &Result::reason},
    Field{5, "usage", &Result::usage},
    Field{6, "costUsd",
          Within(&Result::usage, Within(&Usage::turn_cost, &Cost::usd))},
    Field{7, "costSource",
          Within(&Result::usage, Within(&Usage::turn_cost, &Cost::source))},
    Field{8, "duration", &Result::duration},
    Field{9, "synthetic", &Result::synthetic},
    Field{10, "hint", &Result::hint},
    Field{11, "denialCount", &Result::denial_count},
    Field{12, "denials", &Result::denials},
    Field{13, "forkPoint", &Result::fork_point}};

template <>
inline constexpr auto kFields<Raw> =
    std::tuple{Field{1, "type", &Raw::type},
               Field{2, "line", &Raw::line},
               Field{3, "reason", &Raw::reason},
               Field{4, "offset", &Raw::offset},
               Field{5, "size", &Raw::size},
               Field{6, "lines", IfSet(&Raw::lines)},
               Field{7, "firstRecord", IfSet(&Raw::first_record)}};

template <>
inline constexpr auto kFields<ParseError> =
    std::tuple{Field{1, "error", &ParseError::error},
               Field{2, "snippet", &ParseError::snippet},
               Field{3, "offset", &ParseError::offset},
               Field{4, "size", &ParseError::size}};

template <>
inline constexpr auto kFields<TextDelta> =
    std::tuple{Field{1, "text", &TextDelta::text}};

template <>
inline constexpr auto kFields<ThinkingDelta> =
    std::tuple{Field{1, "text", &ThinkingDelta::text}};

template <>
inline constexpr auto kFields<ToolOutputDelta> =
    std::tuple{Field{1, "toolUseId", &ToolOutputDelta::tool_use_id},
               Field{2, "text", &ToolOutputDelta::text}};

template <>
inline constexpr auto kFields<Lifecycle> =
    std::tuple{Field{1, "kind", &Lifecycle::kind},
               Field{2, "generation", &Lifecycle::generation},
               Field{3, "turn", &Lifecycle::turn},
               Field{4, "by", &Lifecycle::by},
               Field{5, "text", &Lifecycle::text},
               Field{6, "exitCode", &Lifecycle::exit_code},
               Field{7, "signal", &Lifecycle::signal}};

// A v1::Event has these, and those that DescribeEvent (dto/describe.h) adds.
template <>
inline constexpr auto kFields<Message> =
    std::tuple{Field{2, "time", &Message::time},
               Field{4, "parentToolUseId", IfSet(&Message::parent_tool_use_id)},
               Field{5, "blockId", IfSet(&Message::block_id)}};

struct PayloadField {
  int number;
  absl::string_view name;
};

// The oneof of v1::Event, in the order of Payload's types.
inline constexpr PayloadField kPayloadFields[] = {
    {10, "init"},          {11, "userInput"},       {12, "text"},
    {13, "thinking"},      {14, "toolUse"},         {15, "toolResult"},
    {16, "todo"},          {17, "approval"},        {18, "question"},
    {19, "usage"},         {20, "rateLimit"},       {21, "subagent"},
    {22, "diff"},          {23, "notice"},          {24, "result"},
    {25, "raw"},           {26, "parseError"},      {27, "textDelta"},
    {28, "thinkingDelta"}, {29, "toolOutputDelta"}, {30, "lifecycle"},
    {31, "receipt"}};
static_assert(std::size(kPayloadFields) == std::variant_size_v<Payload>);

}  // namespace troika

#endif  // TROIKA_DTO_MESSAGE_FIELDS_H_
