#include "server/mcp/service.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/status_macros.h"
#include "base/version.h"
#include "dto/request.h"
#include "mcp/session_id.h"
#include "server/mcp/random_text.h"

namespace troika {
namespace {

constexpr size_t kMaxEndedSessions = 10000;

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
    : asker_(this, [this](const std::string& client, absl::string_view line) {
        const auto it = streams_.find(client);
        if (it == streams_.end()) return false;
        it->second->Send(line);
        return true;
      }) {}

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
  Incoming incoming = {.caller = {.peer = call.request().peer,
                                  .environment = api_->policy->environment(),
                                  .toolset = call.Parameter("toolset")},
                       .reply = reply};
  McpCaller& caller = incoming.caller;
  json::Value line = *body;
  std::string session(call.request().Header("mcp-session-id"));
  if (in_envelope) {
    RETURN_IF_ERROR(ReadEnvelope(*body, &caller, &incoming.key));
    line = body->Get("message");
  }
  const rpc::Message message = rpc::Parse(line);
  incoming.id = message.id;
  if (message.kind == rpc::Kind::kInvalid) {
    return refuse(message.id, {.error = {.code = rpc::kInvalidRequest,
                                         .message = std::string(message.fault)},
                               .http_status = 400});
  }
  // A client that has not opened a session can do little, but it can.
  caller.client.version = std::string(mcp::SessionVersions()[0]);
  if (!session.empty() && message.method != "initialize") {
    auto opened = mcp::ReadSessionId(session);
    if (opened && ended_sessions_.count(session) == 0) {
      caller.client = *std::move(opened);
      if (!in_envelope) caller.id = session;
    } else if (!in_envelope) {
      return refuse(message.id,
                    {.error = {.code = mcp::kNoSuchSession,
                               .message = "Session not found: send initialize "
                                          "without Mcp-Session-Id"},
                     .http_status = 404});
    }
  }
  auto fault = mcp::ReadClient(message, &caller.client);
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
  Dispatch(std::move(incoming), message);
  return deferred;
}

void McpService::Dispatch(Incoming incoming, const rpc::Message& message) {
  if (message.kind != rpc::Kind::kRequest) {
    if (message.kind == rpc::Kind::kNotification) {
      Notified(incoming.caller, message);
    } else {
      // An error leaves the question open, as a reply without an action does.
      asker_.OnReply(incoming.caller, TextOf(message.id), message.result,
                     [] {});
    }
    return incoming.reply->Close();
  }
  const mcp::Client& client = incoming.caller.client;
  const bool has_sessions = client.generation == mcp::Generation::kSession;
  const auto finish = [&](absl::string_view result,
                          http::Headers headers = {}) {
    incoming.reply->Finish(rpc::ResponseLine(message.id, result), 200,
                           std::move(headers));
  };
  if (message.method == "initialize" && has_sessions) {
    const mcp::Client opened = mcp::ReadInitialize(message.params);
    return finish(mcp::InitializeResult(opened, Info()),
                  {{"Mcp-Session-Id", mcp::SessionId(opened, RandomText())}});
  }
  if (message.method == "ping" && has_sessions) return finish("{}");
  if (message.method == "server/discover" && !has_sessions) {
    return finish(mcp::DiscoverResult(Info()));
  }
  if (message.method == "tools/list") return ListTools(incoming);
  if (message.method == "tools/call") return CallTool(incoming, message);
  incoming.reply->Finish(
      rpc::ErrorLine(message.id, {.code = rpc::kMethodNotFound,
                                  .message = absl::StrCat("Method not found: ",
                                                          message.method)}),
      has_sessions || incoming.caller.is_pipe ? 200 : 404);
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

void McpService::ListTools(const Incoming& incoming) {
  FindTools(incoming.caller,
            [client = incoming.caller.client, id = incoming.id,
             reply = incoming.reply](
                const absl::StatusOr<std::vector<const Tool*>>& tools) {
              if (!tools.ok()) {
                return reply->Finish(rpc::ErrorLine(
                    id, {.code = rpc::kInvalidParams,
                         .message = std::string(tools.status().message())}));
              }
              const std::string list = absl::StrJoin(
                  *tools, ",", [](std::string* out, const Tool* tool) {
                    out->append(mcp::ToolJson(tool->info));
                  });
              json::ObjectWriter result = mcp::BeginResult(client);
              result.Json("tools", absl::StrCat("[", list, "]"));
              mcp::AddCaching(client, &result);
              reply->Finish(rpc::ResponseLine(id, result.Take()));
            });
}

void McpService::CallTool(const Incoming& incoming,
                          const rpc::Message& message) {
  const auto refuse = [&](absl::string_view why) {
    incoming.reply->Finish(rpc::ErrorLine(
        message.id,
        {.code = rpc::kInvalidParams, .message = std::string(why)}));
  };
  const absl::string_view name = message.params.Get("name").StringOr("");
  std::vector<const Tool*> tools;
  if (incoming.caller.toolset.empty()) {
    for (const Tool& tool : AllTools()) tools.push_back(&tool);
  } else {
    auto chosen = ReadToolset(incoming.caller.toolset);
    if (!chosen.ok()) return refuse(chosen.status().message());
    tools = *std::move(chosen);
  }
  const auto tool =
      std::find_if(tools.begin(), tools.end(),
                   [&](const Tool* one) { return one->info.name == name; });
  if (tool == tools.end()) {
    return refuse(absl::StrCat("Unknown tool: ", name));
  }
  auto call = std::make_shared<ToolCall>(this, incoming.caller, message.id,
                                         incoming.reply);
  auto args = mcp::Arguments::Read((*tool)->info.input,
                                   message.params.Get("arguments"));
  if (!args.ok()) return call->Fail(args.status());
  const json::Value responses = message.params.Get("inputResponses");
  call->Set({.args = *std::move(args),
             .progress_token = mcp::ProgressToken(message),
             .key = incoming.key,
             .input_responses = responses.exists() ? responses.ToJson() : "",
             .request_state =
                 std::string(message.params.Get("requestState").StringOr(""))});
  RunTool(**tool, call);
}

void McpService::RunTool(const Tool& tool, const ToolCallPtr& call) {
  const std::string& client = call->caller().id;
  if (!client.empty()) {
    // Those that are over are dropped from time to time.
    if (calls_.size() > 1000) {
      for (auto it = calls_.begin(); it != calls_.end();) {
        const ToolCallPtr open = it->second.lock();
        it = !open || open->over() ? calls_.erase(it) : std::next(it);
      }
    }
    calls_[{client, call->id().json()}] = call;
  }
  tool.call(call);
}

absl::StatusOr<Deferred> McpService::Get(const Call& call) {
  const std::string session(call.request().Header("mcp-session-id"));
  if (session.empty()) {
    return absl::InvalidArgumentError(
        "Mcp-Session-Id is missing: POST initialize first");
  }
  // A pipe is its own session.
  const bool is_pipe = absl::StartsWith(session, "pipe-");
  if (!is_pipe &&
      (!mcp::ReadSessionId(session) || ended_sessions_.count(session) > 0)) {
    return absl::NotFoundError("there is no such session: POST initialize");
  }
  return [this, session](ReplyCallback reply) {
    auto& stream = streams_[session];
    if (stream) stream->End();
    stream = std::make_shared<LineStream>();
    stream->SetOnGone([this, session] { streams_.erase(session); });
    reply(Reply(StreamOf(stream, viewers_)));
  };
}

absl::StatusOr<Deferred> McpService::Delete(const Call& call) {
  const std::string session(call.request().Header("mcp-session-id"));
  if (session.empty()) {
    return absl::InvalidArgumentError("Mcp-Session-Id is missing");
  }
  const bool is_pipe = absl::StartsWith(session, "pipe-");
  if (!is_pipe &&
      (!mcp::ReadSessionId(session) || ended_sessions_.count(session) > 0)) {
    return absl::NotFoundError("there is no such session");
  }
  return [this, session](ReplyCallback reply) {
    if (const auto it = streams_.find(session); it != streams_.end()) {
      it->second->SetOnGone(nullptr);
      it->second->End();
      streams_.erase(it);
    }
    if (ended_sessions_.insert(session).second) {
      ended_order_.push_back(session);
      if (ended_order_.size() > kMaxEndedSessions) {
        ended_sessions_.erase(ended_order_.front());
        ended_order_.pop_front();
      }
    }
    reply(Reply());
  };
}

}  // namespace troika
