// Requests for tasks that are jobs: what all tools that begin jobs share.
#ifndef TROIKA_SERVER_MCP_JOB_REQUEST_H_
#define TROIKA_SERVER_MCP_JOB_REQUEST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "dto/troika.pb.h"
#include "server/agent_policy.h"
#include "server/mcp/tool.h"

namespace troika {

// A request for a task that is a job, and what its client is to be told.
struct JobRequest {
  v1::CreateTaskRequest task;
  std::vector<std::string> notices;
};
// `tool` is its name. Sets harness, labels, environment and the key.
JobRequest NewJob(const ToolCallPtr& call, const std::string& harness,
                  const std::string& tool);
// The limits of the agent that calls. Nothing if it has none, or no agent
// calls; PermissionDenied if it may start no tasks.
absl::StatusOr<std::optional<AgentLimits>> CallerLimits(
    const ToolCallPtr& call);
// Sets an edit mode that the client did not ask for: it is lowered to what the
// calling agent may do itself, with a notice.
void SetDefaultEditMode(const ToolCallPtr& call, absl::string_view mode,
                        JobRequest* job);
// Sets a folder as the client names it. InvalidArgument names the field.
absl::Status SetFolder(const ToolCallPtr& call, absl::string_view field,
                       const std::string& folder, JobRequest* job);
google::protobuf::Duration DurationOf(int64_t millis);
// JSON of a list of texts.
std::string TextsJson(const std::vector<std::string>& texts);

}  // namespace troika

#endif  // TROIKA_SERVER_MCP_JOB_REQUEST_H_
