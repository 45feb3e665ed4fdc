#include "agent/acp/parse.h"

#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/acp/content.h"
#include "agent/acp/errors.h"

namespace troika::acp {
namespace {

struct StopReason {
  absl::string_view name;
  absl::string_view error;  // Empty if the turn succeeded.
};

constexpr StopReason kStopReasons[] = {
    {"end_turn", ""},
    {"cancelled", "interrupted"},
    {"max_tokens", "the limit of tokens was reached"},
    {"max_turn_requests", "the limit of requests to the model was reached"},
    {"refusal", "the agent refuses to go on"},
};

constexpr absl::string_view kNotAnswered =
    "not answered: the agent reads no answers";

const StopReason* /*nullable*/ FindStopReason(absl::string_view name) {
  for (const StopReason& row : kStopReasons) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace

void AcpProtocol::OnLine(json::Value line, Emitter& out) {
  const rpc::Message message = rpc::Parse(line);
  switch (message.kind) {
    case rpc::Kind::kNotification:
      return OnNotification(message, out);
    case rpc::Kind::kResponse:
    case rpc::Kind::kError:
      return OnReply(message, out);
    case rpc::Kind::kRequest:
      return OnRequest(message, out);
    case rpc::Kind::kInvalid:
      ReportUnknown("line", "invalid");
      if (message.wants_reply)
        Refuse(message.id, rpc::kInvalidRequest, message.fault);
      return out.EmitRaw("", message.fault);
  }
}

void AcpProtocol::OnLongLine(json::Value head, Emitter& out) {
  const rpc::Message message = rpc::Parse(head);
  if (message.kind != rpc::Kind::kRequest || permissions_.IsOpen(message.id)) {
    return;
  }
  EndBlock(out);
  Refuse(message.id, rpc::kInvalidRequest, "the request is too long");
  out.Emit(Notice{
      .kind = Notice::Kind::kPermissionDenied,
      .text = absl::StrCat("refused the agent's request ", message.method,
                           ": it is too long to be shown"),
      .by = "default"});
}

void AcpProtocol::OnNotification(const rpc::Message& notification,
                                 Emitter& out) {
  if (notification.method == "session/update") {
    return OnUpdate(
        Read<UpdateParams>(notification.params, Scope("session/update")), out);
  }
  if (notification.method == "$/cancel_request") {
    const auto id = rpc::Id::FromJson(notification.params.Get("requestId"));
    const auto withdrawn = permissions_.Withdraw(id, out);
    if (withdrawn == Permissions::Withdrawal::kWithoutAnswer) {
      Refuse(id, rpc::kRequestCancelled, "the request was cancelled");
    }
    if (withdrawn != Permissions::Withdrawal::kNotOpen) return;
    return out.EmitRaw(notification.method, "no request of this id is open");
  }
  // Methods that begin with an underscore are an agent's own.
  if (!absl::StartsWith(notification.method, "_")) {
    ReportUnknown("method", notification.method);
  }
  out.EmitRaw(notification.method);
}

void AcpProtocol::OnRequest(const rpc::Message& request, Emitter& out) {
  if (request.method == "session/request_permission") {
    return OnPermission(request, out);
  }
  // We offer neither files nor terminals, so that agents use their own tools.
  const bool known = absl::StartsWith(request.method, "fs/") ||
                     absl::StartsWith(request.method, "terminal/");
  if (!known) ReportUnknown("method", request.method);
  const bool refused = Refuse(request.id, rpc::kMethodNotFound,
                              absl::StrCat("not offered: ", request.method));
  out.EmitRaw(request.method, refused
                                  ? "answered with an error: it is not offered"
                                  : kNotAnswered);
}

bool AcpProtocol::Refuse(const rpc::Id& id, int64_t code,
                         absl::string_view why) {
  if (!HasRoom()) return false;
  Answer(rpc::ErrorLine(
      id, {.code = code, .message = std::string(why), .data_json = ""}));
  return true;
}

void AcpProtocol::OnPermission(const rpc::Message& request, Emitter& out) {
  EndBlock(out);
  if (permissions_.IsOpen(request.id)) {
    // A reply would count for the request that is open.
    return out.EmitRaw(request.method, "a request of this id is open");
  }
  // Nothing would end a turn that a request begins.
  if (cancelling_ || prompt_ended_) {
    const bool room = HasRoom();
    if (room) Answer(rpc::ResponseLine(request.id, kCancelledJson));
    return out.EmitRaw(request.method, !room ? kNotAnswered
                                       : cancelling_
                                           ? "cancelled, because the turn is"
                                           : "cancelled, because no turn runs");
  }
  const auto params = Read<PermissionParams>(
      request.params, Scope("session/request_permission"));
  const auto call = Read<ToolCall>(
      params.tool_call, Scope("session/request_permission.toolCall"));
  const CallFacts* const facts = calls_.OnAsked(call, out);
  if (facts != nullptr) {
    const ToolUse use = ToolUseOf(calls_.harness(), call.id, *facts);
    Approval approval;
    approval.id = Key("permission", ++permissions_asked_);
    approval.tool_use_id = ledger().ToolId(call.id);
    approval.tool_name = use.name;
    approval.input_json = use.input_json;
    approval.reason = facts->text;
    approval.kind = ApprovalKind(facts->kind);
    approval.command = CommandOf(*facts);
    approval.cwd = FolderOf(*facts);
    approval.server = use.server;
    if (approval.kind == Approval::Kind::kEdit) {
      approval.diff = facts->diff;
      // A file that is moved goes to one that is not told.
      if (facts->kind == "edit") approval.paths = facts->paths;
    } else {
      approval.exact = IsExact(calls_.harness(), call.id, *facts);
    }
    if (permissions_.Ask(request.id, call.id, params.options,
                         std::move(approval), drift(), out)) {
      return;
    }
  }
  const bool refused =
      Refuse(request.id, rpc::kInvalidRequest, "too many requests are open");
  out.EmitRaw(request.method,
              refused ? "answered with an error: too many requests are open"
                      : kNotAnswered);
}

void AcpProtocol::OnReply(const rpc::Message& reply, Emitter& out) {
  const std::optional<rpc::Pending<>::Call> call = ours_.Take(reply.id);
  if (!call) {
    return out.EmitRaw("response", "no request of this id is open");
  }
  if (call->method == waits_for_) waits_for_.clear();
  if (call->method == "session/prompt") return OnPromptReply(reply, out);
  if (reply.kind == rpc::Kind::kError) {
    OnOpenFailed(call->method, reply.error, out);
  } else if (call->method == "initialize") {
    OnInitialized(reply.result, out);
  } else if (call->method == "authenticate") {
    authenticated_ = true;
  } else if (call->method == "session/new" || call->method == "session/load" ||
             call->method == "session/resume" ||
             call->method == "session/fork") {
    OnSession(reply.result, out);
  } else if (call->method == "session/set_mode") {
    mode_set_ = true;
  } else if (call->method == "session/set_model" ||
             call->method == "session/set_config_option") {
    model_set_ = true;
  }
  Proceed(out);
}

void AcpProtocol::OnPromptReply(const rpc::Message& reply, Emitter& out) {
  ledger().StartTurn();
  Result result;
  if (reply.kind == rpc::Kind::kError) {
    result.is_error = true;
    result.error = cancelling_ ? "interrupted" : ErrorText(reply.error);
    result.reason = absl::StrCat(reply.error.code);
    result.usage = meter().Unreported();
    return EndPrompt(std::move(result), out);
  }
  const auto wire =
      Read<PromptResult>(reply.result, Scope("session/prompt.result"));
  result.reason = std::string(wire.stop_reason);
  if (const StopReason* reason = FindStopReason(wire.stop_reason)) {
    result.is_error = !reason->error.empty();
    result.error = std::string(reason->error);
  } else {
    ReportUnknown("stopReason", wire.stop_reason);
    result.is_error = true;
    result.error = absl::StrCat("the turn ended for an unknown reason: ",
                                wire.stop_reason);
  }
  result.usage = UsageOf(wire);
  EndPrompt(std::move(result), out);
}

Usage AcpProtocol::UsageOf(const PromptResult& result) {
  if (result.usage.IsObject()) {
    const auto usage = Read<PromptUsage>(result.usage, Scope("usage"));
    const int64_t thought = TokenCount(usage.thought);
    return meter().AddTurn({.input = TokenCount(usage.input),
                            .cached = TokenCount(usage.cached_read),
                            .cache_write = TokenCount(usage.cached_write),
                            .output = TokenCount(usage.output) + thought,
                            .reasoning = thought});
  }
  // Gemini CLI adds up the requests of the turn; cached tokens are not told.
  const json::Value counts = result.meta.Get("quota").Get("token_count");
  if (!counts.IsObject()) return meter().Unreported();
  const auto quota = Read<TokenQuota>(counts, Scope("quota.token_count"));
  return meter().AddTurn(
      {.input = TokenCount(quota.input), .output = TokenCount(quota.output)});
}

void AcpProtocol::EndPrompt(Result result, Emitter& out) {
  EndBlock(out);
  for (const rpc::Id& id :
       permissions_.CloseAll("the turn ended and no answer was seen", out)) {
    if (HasRoom()) Answer(rpc::ResponseLine(id, kCancelledJson));
  }
  calls_.OnTurnEnded(out);
  result.text = std::exchange(last_text_, {});
  if (result.usage.turn) out.Emit(result.usage);
  prompting_ = false;
  cancelling_ = false;
  prompt_ended_ = true;
  prompt_.clear();
  ledger().EndTurn(std::move(result), out);
  Proceed(out);
}

void AcpProtocol::OnEnd(Result result, Emitter& out) {
  EndBlock(out);
  (void)permissions_.CloseAll("the process ended", out);
  calls_.OnTurnEnded(out);
  result.text = std::exchange(last_text_, {});
  result.usage = meter().Unreported();
  turns_.clear();
  ledger().EndStream(std::move(result), out);
}

}  // namespace troika::acp
