// Maps the harnesses' names for the same kind of tool, or state of a todo, to
// one.
#ifndef TROIKA_AGENT_TOOL_NAMES_H_
#define TROIKA_AGENT_TOOL_NAMES_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "agent/harness.h"
#include "agent/message.h"

namespace troika {

struct ToolName {
  absl::string_view name;
  absl::string_view server;  // MCP server of the tool, if it has one.
};

// Returns the table's name for a native name, or the native name if the table
// has none. An MCP tool keeps its own name, without the prefix of Claude
// (mcp__server__tool) or Gemini (mcp_server_tool). Gemini's form is ambiguous
// if the server's name contains an underscore; we split at the first one.
// Borrows from `native_name`.
ToolName NormalizeToolName(Harness harness, absl::string_view native_name);

// Returns nullopt if no harness uses this name.
std::optional<Todo::Status> TodoStatus(absl::string_view native_name);

}  // namespace troika

#endif  // TROIKA_AGENT_TOOL_NAMES_H_
