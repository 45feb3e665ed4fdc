// Defines the lines of Claude Code's stream-json and their parts as types,
// which borrow from the parsed line.
//
// Fields that are missing here are listed as known in record.cc, but not used.
// Inputs and results of tools, and the lists of models, agents and commands,
// are kept as JSON values.
#ifndef TROIKA_AGENT_CLAUDE_RECORD_H_
#define TROIKA_AGENT_CLAUDE_RECORD_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/fields.h"
#include "base/json.h"

namespace troika::claude {

// Lines `assistant` and `user`. 1.0 sends a line for each content block; 0.2
// may have several blocks in a line.
struct MessageLine {
  json::Value message;
  absl::string_view parent_tool_use_id;  // Set if a subagent says it.
  json::Value tool_use_result;           // An object, a string or an array.
  std::optional<bool> is_replay;         // Repeats what we wrote.
  std::optional<bool> is_synthetic;      // Text of the CLI for the model.
  absl::string_view uuid;
};

// The API's message in an assistant or user line or in message_start.
struct ApiMessage {
  absl::string_view id;
  json::Value content;  // An array of blocks; a user's may be a string.
  json::Value usage;
};

// A content block of any type.
struct Block {
  absl::string_view type;
  absl::string_view text;
  absl::string_view thinking;
  absl::string_view id;
  absl::string_view name;
  absl::string_view server_name;
  json::Value input;
  absl::string_view tool_use_id;
  json::Value content;
  std::optional<bool> is_error;
};

// Tokens of a message or a turn.
struct TokenUsage {
  std::optional<int64_t> input_tokens;
  std::optional<int64_t> cache_creation_input_tokens;
  std::optional<int64_t> cache_read_input_tokens;
  std::optional<int64_t> output_tokens;
  json::Value output_tokens_details;
};

struct OutputTokens {
  std::optional<int64_t> thinking_tokens;
};

// The fields of a `tool_use_result` that we use; others depend on the tool.
struct ToolUseResult {
  json::Value task;
  json::Value tasks;
  std::optional<bool> success;
  std::optional<absl::Duration> duration;
  std::optional<absl::Duration> total_duration;
};

// Line `stream_event`, which comes with partial messages.
struct StreamLine {
  json::Value event;
  absl::string_view parent_tool_use_id;
};

struct StreamEvent {
  absl::string_view type;
  std::optional<int64_t> index;
  json::Value message;
  json::Value content_block;
  json::Value delta;
  json::Value usage;
  json::Value error;
};

// A change to a block or, if it has no type, to the message.
struct Delta {
  absl::string_view type;
  absl::string_view text;
  absl::string_view thinking;
};

struct ApiError {
  absl::string_view type;
  absl::string_view message;
};

struct InitLine {
  absl::string_view session_id;
  absl::string_view model;
  absl::string_view cwd;
  absl::string_view version;
  absl::string_view permission_mode;
  json::Value tools;
  json::Value mcp_servers;  // Names, or objects that have one.
};

// Lines system/task_*, about subagents and background commands.
struct TaskLine {
  absl::string_view task_id;
  absl::string_view tool_use_id;
  absl::string_view description;
  absl::string_view subagent_type;
  absl::string_view task_type;
  absl::string_view status;
  absl::string_view summary;
  json::Value patch;
};

struct TaskPatch {
  absl::string_view status;
  absl::string_view description;
  absl::string_view error;
};

// Lines system/hook_*.
struct HookLine {
  absl::string_view name;
  absl::string_view event;
  absl::string_view outcome;
  absl::string_view output;
  absl::string_view stdout_text;
  absl::string_view stderr_text;
  std::optional<int64_t> exit_code;
};

// Other lines of type system.
struct SystemLine {
  absl::string_view status;
  absl::string_view permission_mode;
  std::optional<int64_t> attempt;
  std::optional<int64_t> max_retries;
  std::optional<absl::Duration> retry_delay;
  std::optional<int64_t> error_status;
  json::Value error;  // A string or an object.
  absl::string_view tool_name;
  absl::string_view tool_use_id;
  absl::string_view message;
  absl::string_view content;
  json::Value compact_metadata;
};

struct CompactMetadata {
  absl::string_view trigger;
  std::optional<int64_t> pre_tokens;
  std::optional<int64_t> post_tokens;
};

struct ResultLine {
  absl::string_view subtype;
  std::optional<bool> is_error;
  absl::string_view result;
  json::Value errors;
  absl::string_view terminal_reason;
  std::optional<absl::Duration> duration;
  json::Value usage;
  std::optional<double> total_cost;  // Has had several names.
  std::optional<double> cost;        // 0.2 only.
  json::Value model_usage_since_last_result;
  json::Value permission_denials;
};

// An item of ResultLine::permission_denials.
struct PermissionDenial {
  absl::string_view tool_name;
  absl::string_view tool_use_id;
};

// The line itself, or its rate_limit_info.
struct RateLimitInfo {
  json::Value nested;
  absl::string_view status;
  std::optional<double> resets_at;  // Seconds since 1970.
  absl::string_view window;
  absl::string_view type;
  std::optional<double> utilization;
  json::Value unified_windows;
};

// control_request, control_response and control_cancel_request, both ways.
struct ControlLine {
  absl::string_view request_id;
  json::Value request;
  json::Value response;
};

struct PermissionRequest {
  absl::string_view tool_name;
  json::Value input;
  absl::string_view tool_use_id;
  absl::string_view description;
  absl::string_view decision_reason;
  absl::string_view blocked_path;
  absl::string_view agent_id;  // The subagent that asks, from 2.1.197 on.
  json::Value suggestions;     // An array of changes of permissions.
};

struct ControlResponse {
  absl::string_view subtype;
  absl::string_view request_id;
  json::Value response;
  absl::string_view error;
};

// The response to a PermissionRequest.
struct PermissionAnswer {
  absl::string_view behavior;
  absl::string_view message;
  json::Value updated_input;
  json::Value updated_permissions;
  std::optional<bool> interrupt;
};

// Reads one of the types above. `scope` is the path for drift.
template <typename Type>
Type Read(json::Value from, const FieldScope& scope);

}  // namespace troika::claude

#endif  // TROIKA_AGENT_CLAUDE_RECORD_H_
