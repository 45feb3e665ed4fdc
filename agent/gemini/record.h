// Types for the lines of `gemini -o stream-json`, versions 0.11.3 to 0.61.
//
// A record borrows from the parsed line. Fields that are missing, null or of
// another type keep their defaults; unknown fields are reported to `drift`.
#ifndef TROIKA_AGENT_GEMINI_RECORD_H_
#define TROIKA_AGENT_GEMINI_RECORD_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/drift.h"
#include "agent/fields.h"
#include "base/json.h"

namespace troika::gemini {

struct InitLine {
  absl::string_view session_id;
  absl::string_view model;  // Always "auto" in 0.11.3.
};

struct MessageLine {
  absl::string_view role;
  json::Value content;        // Only strings were seen.
  std::optional<bool> delta;  // A fragment of a text that continues.
};

struct ToolUseLine {
  absl::string_view tool_name;
  absl::string_view tool_id;
  json::Value parameters;
};

struct ToolResultLine {
  absl::string_view tool_id;
  absl::string_view status;
  json::Value output;  // A string; may be missing if the tool succeeded.
  json::Value error;
};

// The `error` of a tool result or a result. A string is its message.
struct ErrorInfo {
  absl::string_view type;
  absl::string_view message;
};

struct ErrorLine {
  absl::string_view severity;
  absl::string_view message;
};

struct ResultLine {
  absl::string_view status;
  json::Value error;
  json::Value stats;
};

struct Stats {
  std::optional<int64_t> input_tokens;  // Includes those read from a cache.
  std::optional<int64_t> output_tokens;
  std::optional<int64_t> cached;  // Present in 0.35, as is `input`.
  std::optional<int64_t> input;
  std::optional<absl::Duration> duration;
  json::Value models;  // The same counts, keyed by model.
};

// An item of write_todos's list.
struct TodoEntry {
  absl::string_view description;
  absl::string_view status;
};

// Parameters of invoke_agent.
struct AgentCall {
  absl::string_view agent_name;
  absl::string_view prompt;
};

// Reads one of the lines. `scope` names the place for drift.
template <typename Type>
Type Read(json::Value from, const FieldScope& scope);

ErrorInfo ReadErrorInfo(json::Value error, const FieldScope& scope);
Stats ReadStats(json::Value stats, Drift* /*nullable*/ drift);
TodoEntry ReadTodoEntry(json::Value entry, Drift* /*nullable*/ drift);
AgentCall ReadAgentCall(json::Value parameters, Drift* /*nullable*/ drift);

}  // namespace troika::gemini

#endif  // TROIKA_AGENT_GEMINI_RECORD_H_
