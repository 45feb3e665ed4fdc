// What `codex exec --json` prints, as types. They borrow from the parsed line.
//
// Three dialects are told apart by what a line looks like: events with items
// (0.43 on), the same with `item_type` and `session.created` (the 0.42 days),
// and `{"id","msg":{"type"}}` before (msg_record.h).
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
  absl::string_view session_id;  // 0.42 days.
  absl::string_view message;     // Of `error`.
  json::Value item;
  json::Value usage;
  json::Value error;  // An object with a message, or a string.
  json::Value msg;    // The old dialect.
};

// All item types in one: which fields are there depends on `type`.
struct Item {
  absl::string_view id;
  absl::string_view type;
  absl::string_view item_type;  // 0.42 days.
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

// Nothing where `usage` is no object. Fields that a version lacks are 0.
std::optional<TokenCounts> ReadUsage(json::Value usage,
                                     Drift* /*nullable*/ drift);

// The text of an error, whether it is an object with a message or a string.
std::string ErrorText(json::Value error);

// Nothing where it is no exit code.
std::optional<int> ExitCode(std::optional<int64_t> wire);

bool IsMcpError(json::Value result);

// The text of an MCP result: its text blocks, one after the other, other blocks
// as JSON; where there are none, its structured content.
std::string McpResultText(json::Value result, Drift* /*nullable*/ drift);

}  // namespace troika::codex

#endif  // TROIKA_AGENT_CODEX_RECORD_H_
