// The family of tools that give agents jobs: call_codex, call_claude and
// call_gemini return at once; call_status, call_jobs and call_cancel are for
// the jobs of all of them, and of gpt5_codex (one_shot_tool.h).
#ifndef TROIKA_SERVER_MCP_JOB_TOOLS_H_
#define TROIKA_SERVER_MCP_JOB_TOOLS_H_

#include <vector>

#include "server/mcp/tool.h"

namespace troika {

void AddJobTools(std::vector<Tool>* tools);

}  // namespace troika

#endif  // TROIKA_SERVER_MCP_JOB_TOOLS_H_
