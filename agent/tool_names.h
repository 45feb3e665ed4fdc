// One name for one kind of tool, whatever a harness calls it.
#ifndef TROIKA_AGENT_TOOL_NAMES_H_
#define TROIKA_AGENT_TOOL_NAMES_H_

#include "absl/strings/string_view.h"
#include "agent/harness.h"

namespace troika {

struct ToolName {
  absl::string_view name;
  absl::string_view server;  // The MCP server, where the tool is one's.
};

// The table's name for a native one; the native name itself where the table has
// none. An MCP tool's name is its own, without the prefix that Claude
// (mcp__server__tool) and Gemini (mcp_server_tool) give it. Gemini's form is
// ambiguous where the server's name holds an underscore; the first one counts.
// Borrows from `native_name`.
ToolName NormalizeToolName(Harness harness, absl::string_view native_name);

}  // namespace troika

#endif  // TROIKA_AGENT_TOOL_NAMES_H_
