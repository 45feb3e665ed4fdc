// Finds the tasks behind the sessions that MCP clients name.
#ifndef TROIKA_SERVER_MCP_SESSION_LOOKUP_H_
#define TROIKA_SERVER_MCP_SESSION_LOOKUP_H_

#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/discovery/environment.h"
#include "dto/troika.pb.h"
#include "server/mcp/tool.h"

namespace troika {

// Labels of tasks that MCP clients have begun.
inline constexpr char kFamilyLabel[] = "mcp.family";
inline constexpr char kToolLabel[] = "mcp.tool";
inline constexpr char kClientLabel[] = "mcp.client";
// The id of the client's connection, and whether the task ends with it.
inline constexpr char kConnectionLabel[] = "mcp.connection";
inline constexpr char kBoundLabel[] = "mcp.bound";

// Percent-encodes a text for a path or a query.
std::string EscapedForUrl(absl::string_view text);

using TaskDone = absl::AnyInvocable<void(absl::StatusOr<v1::Task>)>;

// Finds the task that has the session: the one that runs, or else the newest.
// `session` may also be the id of a task. NotFound if there is none of that
// harness.
void FindSessionTask(const ToolCallPtr& call, const std::string& harness,
                     const std::string& session, TaskDone done);

// Finds a session that the CLI keeps on this machine.
using SessionDone = absl::AnyInvocable<void(absl::StatusOr<v1::Session>)>;
void FindNativeSession(const ToolCallPtr& call, const std::string& harness,
                       const std::string& session, SessionDone done);

// The query of a request for sessions, without filters: where the caller's CLIs
// keep them.
std::string SessionQuery(const McpCaller& caller, absl::string_view harness);

// The environment of a task that the caller begins.
struct TaskEnvironment {
  Environment environment;
  // Says which variables came from the server; empty if none did.
  std::string notice;
};
TaskEnvironment EnvironmentOf(const ToolCallPtr& call,
                              const std::string& harness);

// A path as the caller means it: from its folder, with a leading ~.
std::string AbsoluteFrom(const McpCaller& caller, const std::string& path);

// A task's state in the words of the tools: active, awaiting_approval, done,
// error or interrupted.
std::string StatusOf(const v1::Task& task);

}  // namespace troika

#endif  // TROIKA_SERVER_MCP_SESSION_LOOKUP_H_
