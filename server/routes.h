// The routes of the API (docs/api.md) as data: one table dispatches requests to
// their handlers and describes them (OpenApiJson).
//
// A handler reads its request and returns an error, or what is to be done to
// get the reply. Api (api.h) does that and sends what comes of it.
#ifndef TROIKA_SERVER_ROUTES_H_
#define TROIKA_SERVER_ROUTES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/event_loop.h"
#include "google/protobuf/descriptor.h"
#include "server/access.h"
#include "server/call.h"
#include "server/caller.h"
#include "server/changes.h"
#include "server/session_index.h"
#include "server/task_tools.h"
#include "server/tasks.h"
#include "task/home.h"

namespace troika {

class Hooks;
class McpEndpoint;
class PageSessions;
class Uploads;
class WatchStreams;

// The parts of the server that handlers use. All borrowed. Loop thread only.
struct ApiTools {
  EventLoop* loop = nullptr;
  Pools* pools = nullptr;
  Tasks* tasks = nullptr;
  Changes* changes = nullptr;
  Access* access = nullptr;
  std::map<std::string, int64_t>* requests = nullptr;  // Counts by route.
  const Home* home = nullptr;
  SessionIndex* sessions = nullptr;
  const CallerPolicy* policy = nullptr;
  McpEndpoint* mcp = nullptr;
  PageSessions* page_sessions = nullptr;
  WatchStreams* watch = nullptr;
  const Uploads* uploads = nullptr;
  Hooks* hooks = nullptr;
  // Returns the address of the page, and begins to listen there if necessary.
  std::function<absl::StatusOr<std::string>()> page_url;
  std::function<int64_t()> connections;  // Counts those that are open.
};

// Calls back once with the reply, within the call or later.
using Deferred = absl::AnyInvocable<void(ReplyCallback)>;
using Handler = absl::StatusOr<Deferred>(const ApiTools& api, const Call& call);

// Handles the requests of MCP clients (server/mcp).
class McpEndpoint {
 public:
  virtual ~McpEndpoint() = default;
  // A message of a client.
  virtual absl::StatusOr<Deferred> Post(const Call& call) = 0;
  // The same from `troika mcp`, in an envelope of its own.
  virtual absl::StatusOr<Deferred> PostFromPipe(const Call& call) = 0;
  // The stream of what the server sends outside of replies.
  virtual absl::StatusOr<Deferred> Get(const Call& call) = 0;
  // The end of a session.
  virtual absl::StatusOr<Deferred> Delete(const Call& call) = 0;
};

// task_handlers.cc: makes, shows and deletes tasks.
Handler CreateTask, ForkTask, ListTasks, GetTask, DeleteTask;
// command_handlers.cc: gives tasks turns and answers, and ends them.
Handler Input, Resume, Respond, Interrupt, Stop;
Handler EditInput, WithdrawInput, ResumeQueue;
// event_handlers.cc: streams and pages of events, and the lines behind them.
Handler TaskEvents, WholeEvent, RawLine, AllEvents;
// policy_handlers.cc: what was decided, and which rules are trusted.
Handler ListDecisions, ListPolicy, TrustPolicy, UntrustPolicy;
// hook_handlers.cc: lists and tests hooks.
Handler ListHooks, TestHook;
// harness_handlers.cc: describes the harnesses.
Handler ListHarnesses, ProbeHarnesses;
// session_handlers.cc: lists the sessions that CLIs keep on this machine, and
// makes tasks of them.
Handler ListSessions, ImportSession;
// transcript_handlers.cc: reads all events of a task.
Handler ListTurns, SearchTask, ExportTask;
// page_handlers.cc: what only the page needs.
Handler CreatePageCode, CreatePageSession, ListPageSessions, DeletePageSession;
Handler Stream, ChangeWatch, ListFolders, CreateUpload;
// mcp_handlers.cc: passes requests on to ApiTools::mcp.
Handler McpPost, McpPipe, McpGet, McpDelete;
// info_handlers.cc: describes the server and what its tasks have used.
Handler ReportUsage, Health, ServerMetrics, OpenApi;

// Finds the task that the path names, then calls `then` with its id.
Deferred WithTask(
    const ApiTools& api, const Call& call,
    absl::AnyInvocable<void(const std::string&, ReplyCallback)> then);

inline constexpr absl::string_view kStreamType = "text/event-stream";

struct Route {
  absl::string_view method;
  absl::string_view path;  // With what varies in braces.
  absl::string_view summary;
  Handler* handle = nullptr;
  // The messages of the request and the reply, or null.
  const google::protobuf::Descriptor* (*body)() = nullptr;
  const google::protobuf::Descriptor* (*query)() = nullptr;
  const google::protobuf::Descriptor* (*reply)() = nullptr;
  int status = 200;
  // The type of a reply that is no message.
  absl::string_view media_type = kJsonType;
  Access::Need need = Access::Need::kToken;
  // Query parameters of routes whose query is no message.
  std::vector<absl::string_view> parameters = {};
  // The types of a body that is no message; empty: bodies are messages.
  std::vector<absl::string_view> body_types = {};
};

absl::Span<const Route> Routes();

struct Match {
  const Route* /*nullable*/ route = nullptr;
  std::vector<std::string> args;
  // The methods of the path, if the request's is none of them.
  std::vector<absl::string_view> methods;
};

// `path` is as the request has it. HEAD is matched as GET.
Match MatchRoute(absl::string_view method, absl::string_view path);

// InvalidArgument if the query has a parameter that the route does not take. A
// query that is a message is checked when it is read.
absl::Status CheckParameters(const Route& route, absl::string_view query);

// The OpenAPI document of all routes (openapi.cc).
std::string OpenApiJson();

}  // namespace troika

#endif  // TROIKA_SERVER_ROUTES_H_
