// Types of the Agent Client Protocol, version 1, as Gemini CLI 0.20 to 0.61 and
// the protocol's own schema have them.
//
// A record borrows from the parsed line. Fields that are missing, null or of
// another type keep their defaults; unknown fields are reported to `drift`.
#ifndef TROIKA_AGENT_ACP_RECORD_H_
#define TROIKA_AGENT_ACP_RECORD_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "agent/drift.h"
#include "agent/fields.h"
#include "base/json.h"

namespace troika::acp {

// Result of `initialize`.
struct InitializeResult {
  std::optional<int64_t> protocol_version;
  json::Value agent_capabilities;
  json::Value agent_info;
  json::Value auth_methods;
};

struct AgentCapabilities {
  std::optional<bool> load_session;
  json::Value prompt;   // What a prompt may contain: image, audio, …
  json::Value session;  // Optional methods: resume, fork, …
};

// Result of the methods that open a session.
struct SessionResult {
  absl::string_view session_id;  // Only of session/new and session/fork.
  json::Value modes;
  json::Value models;
  json::Value config_options;
};

// Result of `session/prompt`.
struct PromptResult {
  absl::string_view stop_reason;
  json::Value usage;
  json::Value meta;
};

struct PromptUsage {
  std::optional<int64_t> input;
  std::optional<int64_t> output;
  std::optional<int64_t> thought;
  std::optional<int64_t> cached_read;
  std::optional<int64_t> cached_write;
};

// Gemini's counts in `_meta.quota.token_count`.
struct TokenQuota {
  std::optional<int64_t> input;
  std::optional<int64_t> output;
};

struct UpdateParams {
  absl::string_view session_id;
  json::Value update;
};

// Updates agent_message_chunk, agent_thought_chunk and user_message_chunk.
struct Chunk {
  json::Value content;
};

// Updates tool_call and tool_call_update, and the call that a permission is
// asked for. A member that is missing in an update has not changed.
struct ToolCall {
  absl::string_view id;
  absl::string_view title;
  absl::string_view name;
  absl::string_view kind;
  absl::string_view status;
  json::Value content;
  json::Value locations;
  json::Value raw_input;
  json::Value raw_output;
  json::Value meta;
};

struct ModeUpdate {
  absl::string_view mode;
};

// Update notice.
struct NoticeUpdate {
  absl::string_view severity;
  absl::string_view title;
  absl::string_view description;
};

struct CompactionUpdate {
  absl::string_view status;
};

struct PlanUpdate {
  json::Value entries;
};

struct PlanEntry {
  absl::string_view content;
  absl::string_view status;
};

struct PermissionParams {
  absl::string_view session_id;
  json::Value tool_call;
  json::Value options;
};

struct PermissionOption {
  absl::string_view id;
  absl::string_view name;
  absl::string_view kind;
};

// Reads one of the objects. `scope` names the place for drift.
template <typename Type>
Type Read(json::Value from, const FieldScope& scope);

}  // namespace troika::acp

#endif  // TROIKA_AGENT_ACP_RECORD_H_
