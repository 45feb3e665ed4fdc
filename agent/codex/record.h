// Defines the output of `codex exec --json` as types, which borrow from the
// parsed line.
//
// There are three dialects, which a line's fields distinguish: events with
// items (since 0.43), the same with `item_type` and `session.created` (around
// 0.42), and `{"id","msg":{"type"}}` before that.
#ifndef TROIKA_AGENT_CODEX_RECORD_H_
#define TROIKA_AGENT_CODEX_RECORD_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/drift.h"
#include "agent/fields.h"
#include "agent/message.h"
#include "base/json.h"

namespace troika::codex {

struct Line {
  absl::string_view type;
  absl::string_view thread_id;
  absl::string_view session_id;  // Around 0.42.
  absl::string_view message;     // For `error`.
  json::Value item;
  json::Value usage;
  json::Value error;  // An object with a message, or a string.
  json::Value msg;    // The old dialect.
};

// Combines all item types; `type` decides which fields are set.
struct Item {
  absl::string_view id;
  absl::string_view type;
  absl::string_view item_type;  // Around 0.42.
  absl::string_view text;       // agent_message, reasoning
  absl::string_view command;    // command_execution
  absl::string_view aggregated_output;
  std::optional<int64_t> exit_code;
  absl::string_view status;
  json::Value changes;       // file_change
  absl::string_view server;  // mcp_tool_call
  absl::string_view tool;    // mcp_tool_call, collab_tool_call
  json::Value arguments;
  json::Value result;
  json::Value error;
  absl::string_view query;  // web_search
  json::Value action;
  json::Value items;                   // todo_list
  absl::string_view message;           // error
  absl::string_view sender_thread_id;  // collab_tool_call
  json::Value receiver_thread_ids;
  absl::string_view prompt;
  json::Value agents_states;
  // Only app-server has the following fields.
  absl::string_view cwd;  // command_execution
  std::optional<absl::Duration> duration;
  json::Value summary;          // reasoning: an array of strings
  json::Value content;          // reasoning, userMessage
  absl::string_view path;       // image_view
  json::Value content_items;    // dynamic_tool_call
  std::optional<bool> success;  // dynamic_tool_call
};

struct TodoItem {
  absl::string_view text;
  std::optional<bool> completed;
};

struct AgentState {
  absl::string_view status;
  absl::string_view message;
};

// The types of the `{"id","msg":{"type":…}}` dialect.

// The first lines: settings, then the prompt.
struct Settings {
  absl::string_view model;
  absl::string_view workdir;
  absl::string_view sandbox;
  absl::string_view approval;
  absl::string_view prompt;
};

// All message types in one: which fields are there depends on `type`.
struct Msg {
  absl::string_view type;
  absl::string_view text;
  absl::string_view message;
  absl::string_view delta;
  absl::string_view call_id;
  json::Value command;  // An array of words.
  absl::string_view cwd;
  absl::string_view chunk;  // Base64.
  absl::string_view stdout_text;
  absl::string_view stderr_text;
  json::Value aggregated_output;
  std::optional<int64_t> exit_code;
  json::Value duration;  // {secs, nanos}
  json::Value changes;   // By path.
  std::optional<bool> success;
  json::Value invocation;  // {server, tool, arguments}
  json::Value result;      // {"Ok": …} or {"Err": …}
  absl::string_view query;
  json::Value plan;
  json::Value info;
  json::Value rate_limits;
  absl::string_view unified_diff;
  absl::string_view last_agent_message;
  absl::string_view reason;
  absl::string_view session_id;
  absl::string_view model;
};

struct PlanStep {
  absl::string_view step;
  absl::string_view status;
};

struct Invocation {
  absl::string_view server;
  absl::string_view tool;
  json::Value arguments;
};

// Reads one of the types above. `scope` names the place for drift.
template <typename Type>
Type Read(json::Value from, const FieldScope& scope);

// Returns nullopt if `usage` is not an object. Missing fields count as 0.
std::optional<TokenCounts> ReadUsage(json::Value usage,
                                     Drift* /*nullable*/ drift);

// Returns the message of an error, which is an object or a string.
std::string ErrorText(json::Value error);

// Returns nullopt if the value is not a possible exit code.
std::optional<int> ExitCode(std::optional<int64_t> wire);

bool IsMcpError(json::Value result);

// Returns the text of an MCP result: its text blocks joined, with other blocks
// as JSON; if it has none, its structured content.
std::string McpResultText(json::Value result, Drift* /*nullable*/ drift);

// The thread's total in a token_count's info; missing where it has none.
json::Value TotalUsage(json::Value info, Drift* /*nullable*/ drift);

std::optional<absl::Duration> ReadDuration(json::Value duration);
// A command's words as one line that a shell would read back.
std::string CommandLine(json::Value words);
// A map by path, as the list [{"path","kind",…}] that newer versions print.
std::string ChangesJson(json::Value changes);

}  // namespace troika::codex

#endif  // TROIKA_AGENT_CODEX_RECORD_H_
