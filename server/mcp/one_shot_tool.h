// gpt5_codex: has Codex CLI work on one task, and returns its answer with a
// summary of what was done; or a job, if that takes longer than a call may.
#ifndef TROIKA_SERVER_MCP_ONE_SHOT_TOOL_H_
#define TROIKA_SERVER_MCP_ONE_SHOT_TOOL_H_

#include <vector>

#include "server/mcp/tool.h"

namespace troika {

void AddOneShotTool(std::vector<Tool>* tools);

// one_shot_call.cc
void CallOneShot(const ToolCallPtr& call);

}  // namespace troika

#endif  // TROIKA_SERVER_MCP_ONE_SHOT_TOOL_H_
