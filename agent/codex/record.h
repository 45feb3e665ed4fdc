// Defines the output of `codex exec --json` as types, which borrow from the
// parsed line.
//
// There are three dialects, which a line's fields distinguish: events with
// items (since 0.43), the same with `item_type` and `session.created` (around
// 0.42), and `{"id","msg":{"type"}}` before that (msg_record.h).
#ifndef TROIKA_AGENT_CODEX_RECORD_H_
#define TROIKA_AGENT_CODEX_RECORD_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "agent/drift.h"
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
};

struct TodoItem {
  absl::string_view text;
  std::optional<bool> completed;
};

struct AgentState {
  absl::string_view status;
  absl::string_view message;
};

Line ReadLine(json::Value line, Drift* /*nullable*/ drift);
Item ReadItem(json::Value item, Drift* /*nullable*/ drift);
TodoItem ReadTodoItem(json::Value item, Drift* /*nullable*/ drift);
AgentState ReadAgentState(json::Value state, Drift* /*nullable*/ drift);

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

}  // namespace troika::codex

#endif  // TROIKA_AGENT_CODEX_RECORD_H_
