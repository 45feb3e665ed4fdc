#include "server/routes.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "dto/troika.pb.h"
#include "http/uri.h"

namespace troika {
namespace {

template <typename M>
const google::protobuf::Descriptor* Of() {
  return M::descriptor();
}

const std::vector<Route>& Table() {
  static const auto* const kTable = new std::vector<Route>{
      {.method = "GET",
       .path = "/api/v1/harnesses",
       .summary = "The harnesses, as tasks without an environment find them",
       .handle = ListHarnesses,
       .reply = Of<v1::ListHarnessesResponse>},
      {.method = "POST",
       .path = "/api/v1/harnesses/probe",
       .summary = "The harnesses, as a task with this environment finds them",
       .handle = ProbeHarnesses,
       .body = Of<v1::ProbeHarnessesRequest>,
       .reply = Of<v1::ListHarnessesResponse>},
      {.method = "POST",
       .path = "/api/v1/tasks",
       .summary = "Makes a task; it runs as soon as it may",
       .handle = CreateTask,
       .body = Of<v1::CreateTaskRequest>,
       .reply = Of<v1::Task>,
       .status = 201},
      {.method = "GET",
       .path = "/api/v1/tasks",
       .summary = "Tasks, the newest first",
       .handle = ListTasks,
       .query = Of<v1::ListTasksRequest>,
       .reply = Of<v1::ListTasksResponse>},
      {.method = "GET",
       .path = "/api/v1/tasks/{id}",
       .summary = "One task",
       .handle = GetTask,
       .reply = Of<v1::Task>},
      {.method = "DELETE",
       .path = "/api/v1/tasks/{id}",
       .summary = "Removes a task that has ended, with its log",
       .handle = DeleteTask,
       .status = 204},
      {.method = "POST",
       .path = "/api/v1/tasks/{id}/input",
       .summary = "Another turn, or a word into the running one",
       .handle = Input,
       .body = Of<v1::InputRequest>,
       .reply = Of<v1::Task>},
      {.method = "POST",
       .path = "/api/v1/tasks/{id}/inputs/resume",
       .summary = "Sends the inputs of a queue that is held",
       .handle = ResumeQueue,
       .body = Of<v1::ResumeQueueRequest>,
       .reply = Of<v1::Task>},
      {.method = "POST",
       .path = "/api/v1/tasks/{id}/inputs/{input}/edit",
       .summary = "Changes an input that waits",
       .handle = EditInput,
       .body = Of<v1::EditInputRequest>,
       .reply = Of<v1::Task>},
      {.method = "POST",
       .path = "/api/v1/tasks/{id}/inputs/{input}/withdraw",
       .summary = "Takes back an input that waits",
       .handle = WithdrawInput,
       .body = Of<v1::WithdrawInputRequest>,
       .reply = Of<v1::Task>},
      {.method = "POST",
       .path = "/api/v1/tasks/{id}/respond",
       .summary = "Answers an approval or a question",
       .handle = Respond,
       .body = Of<v1::RespondRequest>,
       .reply = Of<v1::Task>},
      {.method = "POST",
       .path = "/api/v1/tasks/{id}/interrupt",
       .summary = "Ends the turn, or cancels a task that waits",
       .handle = Interrupt,
       .body = Of<v1::InterruptRequest>,
       .reply = Of<v1::Task>},
      {.method = "POST",
       .path = "/api/v1/tasks/{id}/stop",
       .summary = "Ends the agent and everything that it started",
       .handle = Stop,
       .body = Of<v1::StopRequest>,
       .reply = Of<v1::Task>},
      {.method = "POST",
       .path = "/api/v1/tasks/{id}/resume",
       .summary = "Goes on with a task that has ended",
       .handle = Resume,
       .body = Of<v1::ResumeRequest>,
       .reply = Of<v1::Task>},
      {.method = "POST",
       .path = "/api/v1/tasks/{id}/fork",
       .summary = "Makes a task that goes on with a copy of its session",
       .handle = ForkTask,
       .body = Of<v1::ForkRequest>,
       .reply = Of<v1::Task>,
       .status = 201},
      {.method = "GET",
       .path = "/api/v1/tasks/{id}/events",
       .summary = "Its events: a page, or a stream of server-sent events",
       .handle = TaskEvents,
       .reply = Of<v1::ListEventsResponse>,
       .media_type = kStreamType,
       .parameters = {"after", "before", "page_size", "parser"}},
      {.method = "GET",
       .path = "/api/v1/tasks/{id}/events/{event}",
       .summary = "One event, with nothing cut",
       .handle = WholeEvent,
       .reply = Of<v1::Event>},
      {.method = "GET",
       .path = "/api/v1/tasks/{id}/decisions",
       .summary = "What was asked and decided, by whom and by which rules",
       .handle = ListDecisions,
       .reply = Of<v1::ListDecisionsResponse>},
      {.method = "GET",
       .path = "/api/v1/tasks/{id}/turns",
       .summary = "Where its turns begin, and how many events it has",
       .handle = ListTurns,
       .reply = Of<v1::ListTurnsResponse>},
      {.method = "GET",
       .path = "/api/v1/tasks/{id}/search",
       .summary = "The ids of its events that contain a text",
       .handle = SearchTask,
       .query = Of<v1::SearchEventsRequest>,
       .reply = Of<v1::SearchEventsResponse>},
      {.method = "GET",
       .path = "/api/v1/tasks/{id}/export",
       .summary = "Its events as a file: format is markdown or jsonl",
       .handle = ExportTask,
       .media_type = "text/markdown",
       .parameters = {"format"}},
      {.method = "GET",
       .path = "/api/v1/tasks/{id}/raw/{record}",
       .summary = "The native line of a record",
       .handle = RawLine,
       .reply = Of<v1::RawRecord>,
       .media_type = "application/octet-stream"},
      {.method = "GET",
       .path = "/api/v1/events",
       .summary = "Tasks that change: a stream of server-sent events",
       .handle = AllEvents,
       .media_type = kStreamType},
      {.method = "GET",
       .path = "/api/v1/stream",
       .summary = "Tasks that change, and the events of those that are "
                  "watched: a stream of server-sent events",
       .handle = Stream,
       .media_type = kStreamType,
       .parameters = {"list", "watch", "parser"}},
      {.method = "POST",
       .path = "/api/v1/stream/{stream}/watch",
       .summary = "Changes the tasks that a stream watches",
       .handle = ChangeWatch,
       .body = Of<v1::WatchRequest>,
       .status = 204},
      {.method = "GET",
       .path = "/api/v1/folders",
       .summary = "Folders of tasks, the last used first",
       .handle = ListFolders,
       .reply = Of<v1::ListFoldersResponse>},
      {.method = "POST",
       .path = "/api/v1/uploads",
       .summary = "Keeps an image, for its path to be used in requests",
       .handle = CreateUpload,
       .reply = Of<v1::Upload>,
       .status = 201,
       .body_types = {"image/png", "image/jpeg", "image/gif", "image/webp"}},
      {.method = "POST",
       .path = "/api/v1/page/codes",
       .summary = "A code that a browser exchanges for a session, once",
       .handle = CreatePageCode,
       .reply = Of<v1::PageCode>,
       .status = 201},
      {.method = "POST",
       .path = "/api/v1/page/sessions",
       .summary = "Exchanges a code for a session: a cookie and a key",
       .handle = CreatePageSession,
       .reply = Of<v1::PageSession>,
       .status = 201,
       .need = Access::Need::kNothing},
      {.method = "GET",
       .path = "/api/v1/page/sessions",
       .summary = "The browsers that have access",
       .handle = ListPageSessions,
       .reply = Of<v1::ListPageSessionsResponse>},
      {.method = "DELETE",
       .path = "/api/v1/page/sessions/{id}",
       .summary = "Ends the session of a browser",
       .handle = DeletePageSession,
       .status = 204},
      {.method = "GET",
       .path = "/api/v1/sessions",
       .summary = "Sessions that CLIs keep here, the last changed first",
       .handle = ListSessions,
       .query = Of<v1::ListSessionsRequest>,
       .reply = Of<v1::ListSessionsResponse>},
      {.method = "POST",
       .path = "/api/v1/sessions/{id}/import",
       .summary = "Makes a read-only task of a session's file",
       .handle = ImportSession,
       .body = Of<v1::ImportSessionRequest>,
       .reply = Of<v1::Task>,
       .status = 201},
      {.method = "GET",
       .path = "/api/v1/policy",
       .summary = "The folders with rules: the user's, and projects'",
       .handle = ListPolicy,
       .query = Of<v1::ListPolicyRequest>,
       .reply = Of<v1::ListPolicyResponse>},
      {.method = "POST",
       .path = "/api/v1/policy/trust",
       .summary = "Lets the rules of a folder count, exactly as they are",
       .handle = TrustPolicy,
       .body = Of<v1::TrustPolicyRequest>,
       .reply = Of<v1::ListPolicyResponse>},
      {.method = "POST",
       .path = "/api/v1/policy/untrust",
       .summary = "Lets the rules of a folder count no more",
       .handle = UntrustPolicy,
       .body = Of<v1::UntrustPolicyRequest>,
       .reply = Of<v1::ListPolicyResponse>},
      {.method = "GET",
       .path = "/api/v1/hooks",
       .summary = "The hooks of config.toml, and what they were not told yet",
       .handle = ListHooks,
       .reply = Of<v1::ListHooksResponse>},
      {.method = "POST",
       .path = "/api/v1/hooks/{name}/test",
       .summary = "Tells a hook of an event that never happened, once",
       .handle = TestHook,
       .reply = Of<v1::TestHookResponse>},
      {.method = "GET",
       .path = "/api/v1/usage",
       .summary = "Tokens and costs, by harness and model",
       .handle = ReportUsage,
       .query = Of<v1::UsageRequest>,
       .reply = Of<v1::UsageResponse>},
      {.method = "POST",
       .path = "/mcp",
       .summary = "A message of an MCP client (docs/mcp.md)",
       .handle = McpPost,
       .parameters = {"toolset"}},
      {.method = "GET",
       .path = "/mcp",
       .summary = "Requests and notifications for an MCP client",
       .handle = McpGet,
       .media_type = kStreamType,
       .parameters = {"toolset"}},
      {.method = "DELETE",
       .path = "/mcp",
       .summary = "Ends the session of an MCP client",
       .handle = McpDelete,
       .status = 204,
       .parameters = {"toolset"}},
      {.method = "POST",
       .path = "/mcp/pipe",
       .summary = "A message of an MCP client, passed on by troika mcp",
       .handle = McpPipe},
      {.method = "GET",
       .path = "/healthz",
       .summary = "Whether the server serves",
       .handle = Health,
       .need = Access::Need::kNothing},
      {.method = "GET",
       .path = "/metrics",
       .summary = "What the server counts, for Prometheus",
       .handle = ServerMetrics,
       .media_type = "text/plain"},
      {.method = "GET",
       .path = "/openapi.json",
       .summary = "This description",
       .handle = OpenApi,
       .need = Access::Need::kNothing},
  };
  return *kTable;
}

// The variable parts of the path, or nothing if `segments` don't fit.
std::optional<std::vector<std::string>> Fit(
    absl::string_view path, const std::vector<std::string>& segments) {
  const std::vector<absl::string_view> parts =
      absl::StrSplit(path.substr(1), '/');
  if (parts.size() != segments.size()) return std::nullopt;
  std::vector<std::string> args;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (absl::StartsWith(parts[i], "{")) {
      args.push_back(segments[i]);
    } else if (parts[i] != segments[i]) {
      return std::nullopt;
    }
  }
  return args;
}

}  // namespace

absl::Span<const Route> Routes() { return Table(); }

Match MatchRoute(absl::string_view method, absl::string_view path) {
  Match match;
  const auto segments = http::SplitPath(path);
  if (!segments) return match;
  if (method == "HEAD") method = "GET";
  for (const Route& route : Table()) {
    auto args = Fit(route.path, *segments);
    if (!args) continue;
    if (route.method == method) {
      return {.route = &route, .args = *std::move(args)};
    }
    match.methods.push_back(route.method);
  }
  return match;
}

absl::Status CheckParameters(const Route& route, absl::string_view query) {
  if (route.query != nullptr) return absl::OkStatus();
  const auto parameters = http::ParseQuery(query);
  if (!parameters) {
    return absl::InvalidArgumentError(
        "the query can't be read: write special characters as %XX");
  }
  for (const auto& [name, value] : *parameters) {
    if (std::find(route.parameters.begin(), route.parameters.end(), name) !=
        route.parameters.end()) {
      continue;
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "the query has no \"", name, "\" here: this path takes ",
        route.parameters.empty() ? "none"
                                 : absl::StrJoin(route.parameters, ", ")));
  }
  return absl::OkStatus();
}

}  // namespace troika
