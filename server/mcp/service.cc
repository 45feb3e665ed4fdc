#include "server/mcp/service.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/status_macros.h"
#include "base/version.h"
#include "dto/request.h"
#include "mcp/session_id.h"
#include "server/mcp/mcp_tasks.h"
#include "server/mcp/random_text.h"
#include "server/mcp/resources.h"
#include "server/mcp/session_lookup.h"

namespace troika {
namespace {

constexpr size_t kMaxCalls = 1000;
constexpr size_t kMaxKnownTasks = 1000;

constexpr absl::string_view kInstructions =
    "Runs tasks with other coding agents on this machine: Codex CLI "
    "(codex_*), Claude Code (claude_*) and Gemini CLI (gemini_*). *_start "
    "begins a session and returns its sessionId at once; poll it with "
    "*_status and `wait`, answer what it asks with *_respond, and go on with "
    "*_say. A session lives on when this client ends: *_list finds it again.";

mcp::ServerInfo Info() {
  return {.version = std::string(kVersion),
          .instructions = std::string(kInstructions)};
}

// The text of an id that is a string.
std::string TextOf(const rpc::Id& id) {
  json::Parser parser;
  const auto value = parser.Parse(id.json());
  return value.ok() ? std::string(value->StringOr("")) : "";
}

// Reads the fields of an envelope that `troika mcp` puts around a message.
absl::Status ReadEnvelope(json::Value envelope, McpCaller* caller,
                          std::string* key) {
  caller->is_pipe = true;
  caller->id = std::string(envelope.Get("pipe").StringOr(""));
  caller->cwd = std::string(envelope.Get("cwd").StringOr(""));
  caller->toolset = std::string(envelope.Get("toolset").StringOr(""));
  *key = std::string(envelope.Get("key").StringOr(""));
  if (caller->id.empty() || !envelope.Get("message").exists()) {
    return absl::InvalidArgumentError(
        "the envelope lacks pipe or message: this path is for troika mcp");
  }
  RETURN_IF_ERROR(CheckKey(caller->id));
  RETURN_IF_ERROR(CheckKey(*key));
  google::protobuf::Map<std::string, std::string> variables;
  for (const json::Member& member : envelope.Get("env").members()) {
    variables[std::string(member.key)] = std::string(member.value.StringOr(""));
  }
  RETURN_IF_ERROR(CheckVariables(variables));
  caller->environment = Environment({variables.begin(), variables.end()});
  return absl::OkStatus();
}

}  // namespace

McpService::McpService()
    : asker_(this,
             [this](const std::string& client, absl::string_view line) {
               const auto it = streams_.find(client);
               if (it == streams_.end() || it->second->gone()) return false;
               it->second->Send(line);
               return !it->second->gone();
             }),
      subscriptions_(this) {}

void McpService::Begin(const ApiTools* api) {
  api_ = api;
  waits_.Begin(api);
  limit_.Begin(api);
  subscriptions_.Begin(api);
  bound_.Begin(api,
               [this](const std::string& client) { return HasStream(client); });
}

void McpService::Finish() {
  waits_.Drop();
  limit_.Drop();
  subscriptions_.Drop();
}

absl::StatusOr<Deferred> McpService::Post(const Call& call) {
  return Take(call, false);
}

absl::StatusOr<Deferred> McpService::PostFromPipe(const Call& call) {
  return Take(call, true);
}

absl::StatusOr<Deferred> McpService::Take(const Call& call, bool in_envelope) {
  auto reply = std::make_shared<McpReply>(call.Accepts(kStreamType)
                                              ? McpReply::Form::kJsonOrStream
                                              : McpReply::Form::kJsonOnly,
                                          viewers_);
  Deferred deferred = [reply](ReplyCallback callback) {
    reply->Start(std::move(callback));
  };
  const auto refuse = [&](const rpc::Id& id, const mcp::Fault& fault) {
    reply->Finish(rpc::ErrorLine(id, fault.error), fault.http_status);
    return std::move(deferred);
  };
  json::Parser parser;
  const auto body = parser.Parse(call.request().body);
  if (!body.ok()) {
    return refuse({},
                  {.error = {.code = mcp::kParseError,
                             .message = std::string(body.status().message())},
                   .http_status = 400});
  }
  McpRequest request = {.caller = {.peer = call.request().peer,
                                   .environment = api_->policy->environment(),
                                   .toolset = call.Parameter("toolset")},
                        .reply = reply};
  McpCaller& caller = request.caller;
  std::string key;
  if (in_envelope) {
    RETURN_IF_ERROR(ReadEnvelope(*body, &caller, &key));
    caller.id = OwnId(call.request(), caller.id);
  }
  const rpc::Message message =
      rpc::Parse(in_envelope ? body->Get("message") : *body);
  request.id = message.id;
  if (message.kind == rpc::Kind::kInvalid) {
    return refuse(message.id, {.error = {.code = rpc::kInvalidRequest,
                                         .message = std::string(message.fault)},
                               .http_status = 400});
  }
  // A client that has not opened a session can do little, but it can.
  caller.client.version = std::string(mcp::SessionVersions()[0]);
  const std::string session(call.request().Header("mcp-session-id"));
  if (!session.empty() && message.method != "initialize") {
    auto opened = mcp::ReadSessionId(session);
    const std::string id =
        opened ? OwnId(call.request(), ClientIdOf(*opened)) : "";
    if (opened && ended_sessions_.count(id) == 0) {
      if (!in_envelope) caller.id = id;
      caller.client = std::move(opened->client);
    } else if (!in_envelope) {
      return refuse(message.id,
                    {.error = {.code = mcp::kNoSuchSession,
                               .message = "Session not found: send initialize "
                                          "without Mcp-Session-Id"},
                     .http_status = 404});
    }
  }
  std::optional<mcp::Fault> fault;
  if (!in_envelope) {
    fault = mcp::CheckVersionHeader(
        message, call.request().Header("mcp-protocol-version"));
  }
  if (!fault) fault = mcp::ReadClient(message, &caller.client);
  if (!fault && !in_envelope) {
    fault = mcp::CheckHeaders(
        message, caller.client,
        {.version = call.request().Header("mcp-protocol-version"),
         .method = call.request().Header("mcp-method"),
         .name = call.request().Header("mcp-name")});
  }
  if (fault) {
    if (in_envelope) fault->http_status = 200;
    return refuse(message.id, *fault);
  }
  if (caller.client.generation == mcp::Generation::kStateless && !in_envelope) {
    caller.id.clear();
  }
  Dispatch(request, key, message);
  return deferred;
}

void McpService::Dispatch(const McpRequest& request, const std::string& key,
                          const rpc::Message& message) {
  if (message.kind != rpc::Kind::kRequest) {
    if (message.kind == rpc::Kind::kNotification) {
      Notified(request.caller, message);
    } else {
      // An error leaves the question open, as a reply without an action does.
      asker_.OnReply(request.caller, TextOf(message.id), message.result, [] {});
    }
    return request.reply->Close();
  }
  const absl::string_view method = message.method;
  if (method == "tools/list") return ListTools(request);
  if (method == "tools/call") return CallTool(request, key, message);
  if (method == "resources/list") {
    return ListResources(*api_, request, message.params);
  }
  if (method == "resources/templates/list") {
    return ListResourceTemplates(request);
  }
  if (method == "resources/read") {
    return ReadResource(*api_, request, message.params);
  }
  const bool has_sessions =
      request.caller.client.generation == mcp::Generation::kSession;
  if (has_sessions ? DispatchOfSessions(request, message)
                   : DispatchStateless(request, message)) {
    return;
  }
  request.reply->Finish(
      rpc::ErrorLine(request.id,
                     {.code = rpc::kMethodNotFound,
                      .message = absl::StrCat("Method not found: ", method)}),
      has_sessions || request.caller.is_pipe ? 200 : 404);
}

bool McpService::DispatchOfSessions(const McpRequest& request,
                                    const rpc::Message& message) {
  if (message.method == "ping") {
    request.Finish("{}");
  } else if (message.method == "initialize") {
    const mcp::Client opened = mcp::ReadInitialize(message.params);
    request.reply->Finish(
        rpc::ResponseLine(request.id, mcp::InitializeResult(opened, Info())),
        200,
        {{"Mcp-Session-Id",
          mcp::SessionId({.client = opened, .random = RandomText()})}});
  } else {
    return false;
  }
  return true;
}

bool McpService::DispatchStateless(const McpRequest& request,
                                   const rpc::Message& message) {
  const absl::string_view method = message.method;
  if (method == "server/discover") {
    request.Finish(mcp::DiscoverResult(Info()));
  } else if (method == "subscriptions/listen") {
    Listen(request, message);
  } else if (absl::StartsWith(method, "tasks/") &&
             !request.caller.client.tasks) {
    request.reply->Finish(
        rpc::ErrorLine(
            request.id,
            {.code = mcp::kMissingCapability,
             .message = "the request does not declare the tasks extension",
             .data_json = R"({"requiredCapabilities":{"extensions":)"
                          R"({"io.modelcontextprotocol/tasks":{}}}})"}),
        request.caller.is_pipe ? 200 : 400);
  } else if (method == "tasks/get") {
    GetMcpTask(*this, request, message);
  } else if (method == "tasks/update") {
    UpdateMcpTask(*this, request, message);
  } else if (method == "tasks/cancel") {
    CancelMcpTask(request, message);
  } else {
    return false;
  }
  return true;
}

void McpService::Listen(const McpRequest& request,
                        const rpc::Message& message) {
  const auto call = std::make_shared<ToolCall>(this, request.caller, request.id,
                                               request.reply);
  Remember(call);
  subscriptions_.Listen(call, message.params.Get("notifications"));
}

void McpService::Notified(const McpCaller& caller,
                          const rpc::Message& message) {
  if (message.method != "notifications/cancelled" || caller.id.empty()) return;
  const rpc::Id id = rpc::Id::FromJson(message.params.Get("requestId"));
  const auto it = calls_.find({caller.id, id.json()});
  // It may be one that was answered already.
  if (it == calls_.end()) return;
  const ToolCallPtr call = it->second.lock();
  calls_.erase(it);
  if (call) call->Cancel();
}

void McpService::FindTools(const McpCaller& caller, ToolsCallback found) {
  if (!caller.toolset.empty()) return found(ReadToolset(caller.toolset));
  v1::ProbeHarnessesRequest request;
  if (caller.is_pipe) request = ToProbeRequest(caller.environment);
  LocalApi(api_, caller.peer)
      .Send<v1::ListHarnessesResponse>(
          "POST", "/api/v1/harnesses/probe", &request,
          [found = std::move(found)](
              const absl::StatusOr<v1::ListHarnessesResponse>& all) mutable {
            std::vector<std::string> installed;
            // An agent whose task is not known may not probe, but may look.
            if (all.ok()) {
              for (const v1::HarnessInfo& info : all->harnesses()) {
                if (!info.path().empty()) installed.push_back(info.id());
              }
            }
            found(DefaultTools(installed));
          });
}

void McpService::ListTools(const McpRequest& request) {
  FindTools(
      request.caller,
      [request](const absl::StatusOr<std::vector<const Tool*>>& tools) {
        if (!tools.ok()) {
          return request.Fail(rpc::kInvalidParams, tools.status().message());
        }
        const std::string list =
            absl::StrJoin(*tools, ",", [](std::string* out, const Tool* tool) {
              out->append(mcp::ToolJson(tool->info));
            });
        const mcp::Client& client = request.caller.client;
        json::ObjectWriter result = mcp::BeginResult(client);
        result.Json("tools", absl::StrCat("[", list, "]"));
        mcp::AddCaching(client, &result);
        request.Finish(result.Take());
      });
}

void McpService::CallTool(const McpRequest& request, const std::string& key,
                          const rpc::Message& message) {
  const absl::string_view name = message.params.Get("name").StringOr("");
  std::vector<const Tool*> tools;
  if (request.caller.toolset.empty()) {
    for (const Tool& tool : AllTools()) tools.push_back(&tool);
  } else {
    auto chosen = ReadToolset(request.caller.toolset);
    if (!chosen.ok()) {
      return request.Fail(rpc::kInvalidParams, chosen.status().message());
    }
    tools = *std::move(chosen);
  }
  const auto tool =
      std::find_if(tools.begin(), tools.end(),
                   [&](const Tool* one) { return one->info.name == name; });
  if (tool == tools.end()) {
    return request.Fail(rpc::kInvalidParams,
                        absl::StrCat("Unknown tool: ", name));
  }
  auto call = std::make_shared<ToolCall>(this, request.caller, request.id,
                                         request.reply);
  auto args = mcp::Arguments::Read((*tool)->info.input,
                                   message.params.Get("arguments"));
  if (!args.ok()) return call->Fail(args.status());
  const json::Value responses = message.params.Get("inputResponses");
  call->Set({.args = *std::move(args),
             .progress_token = mcp::ProgressToken(message),
             .key = key,
             .input_responses = responses.exists() ? responses.ToJson() : "",
             .request_state =
                 std::string(message.params.Get("requestState").StringOr(""))});
  Remember(call);
  (*tool)->call(call);
}

void McpService::Remember(const ToolCallPtr& call) {
  const std::string& client = call->caller().id;
  if (client.empty()) return;
  // Those that are over are dropped from time to time.
  if (calls_.size() > kMaxCalls) {
    for (auto it = calls_.begin(); it != calls_.end();) {
      const ToolCallPtr open = it->second.lock();
      it = !open || open->over() ? calls_.erase(it) : std::next(it);
    }
  }
  calls_[{client, call->id().json()}] = call;
}

void McpService::RememberTask(const std::string& session,
                              const std::string& task) {
  if (known_tasks_.size() >= kMaxKnownTasks) known_tasks_.clear();
  known_tasks_[session] = task;
}

}  // namespace troika
