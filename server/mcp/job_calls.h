// What the tools for jobs do (job_tools.h has the tools).
#ifndef TROIKA_SERVER_MCP_JOB_CALLS_H_
#define TROIKA_SERVER_MCP_JOB_CALLS_H_

#include "server/mcp/tool.h"

namespace troika {

// A harness that takes jobs, and its defaults.
struct JobHarness {
  const char* id;
  const char* model;  // The default; empty: that of the CLI.
  const char* edit_mode;
};

// call_codex, call_claude and call_gemini.
void StartJob(const JobHarness& harness, const ToolCallPtr& call);
void ShowJob(const ToolCallPtr& call);    // call_status
void CancelJob(const ToolCallPtr& call);  // call_cancel
// job_list.cc
void ListJobs(const ToolCallPtr& call);  // call_jobs

}  // namespace troika

#endif  // TROIKA_SERVER_MCP_JOB_CALLS_H_
