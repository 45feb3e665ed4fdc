// The family of tools that have sessions with a harness: NAME_start, NAME_say,
// NAME_status, NAME_respond, NAME_interrupt, NAME_list and NAME_fork.
#ifndef TROIKA_SERVER_MCP_SESSION_TOOLS_H_
#define TROIKA_SERVER_MCP_SESSION_TOOLS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "server/mcp/tool.h"

namespace troika {

// Adds those of a harness, with the fields that its CLI has something for.
void AddSessionTools(absl::string_view harness, std::vector<Tool>* tools);

// session_start.cc
void StartSession(const std::string& harness, const ToolCallPtr& call);
void SayToSession(const std::string& harness, const ToolCallPtr& call);
void ForkSession(const std::string& harness, const ToolCallPtr& call);
// session_status.cc
void ShowSession(const std::string& harness, const ToolCallPtr& call);
// session_commands.cc
void RespondToSession(const std::string& harness, const ToolCallPtr& call);
void InterruptSession(const std::string& harness, const ToolCallPtr& call);
// session_list.cc
void ListSessionsOf(const std::string& harness, const ToolCallPtr& call);

}  // namespace troika

#endif  // TROIKA_SERVER_MCP_SESSION_TOOLS_H_
