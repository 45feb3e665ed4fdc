#include "agent/codex/app_server.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/tool_names.h"

namespace troika::codex {
namespace {

// Notifications that announce or repeat what others report.
constexpr absl::string_view kQuiet[] = {
    "account/login/completed",
    "account/updated",
    "app/list/updated",
    "item/commandExecution/terminalInteraction",
    "item/fileChange/outputDelta",
    "item/mcpToolCall/progress",
    "mcpServer/oauthLogin/completed",
    "remoteControl/status/changed",
    "skills/changed",
    "thread/closed",
    "thread/environment/connected",
    "thread/goal/cleared",
    "thread/goal/updated",
    "thread/name/updated",
    "thread/readState/changed",
    "thread/settings/updated",
    "thread/status/changed",
    "turn/moderationMetadata",
};

// Notifications that we know and pass on as they are.
constexpr absl::string_view kRaw[] = {
    "account/gatewayOAuth/changed",
    "autoApprovalReview/strictReviewRequired",
    "fs/changed",
    "item/autoApprovalReview/completed",
    "item/autoApprovalReview/started",
    "mcpServer/event/stream/notification",
    "model/safetyBuffering/updated",
    "model/verification",
    "modelProvider/authRecoveryCompleted",
    "modelProvider/authRecoveryStarted",
    "process/exited",
    "process/outputDelta",
    "project/changed",
    "thread/archived",
    "thread/attachment/updated",
    "thread/deleted",
    "thread/environment/disconnected",
    "thread/prediction/updated",
    "thread/project/updated",
    "thread/queue/changed",
    "thread/reverted",
    "thread/section/changed",
    "thread/unarchived",
};

template <size_t N>
bool Has(const absl::string_view (&list)[N], absl::string_view method) {
  return std::find(std::begin(list), std::end(list), method) != std::end(list);
}

// Without the braces of the object; empty if it is none.
std::string MembersOf(json::Value object) {
  if (object.size() == 0 || !object.IsObject()) return "";
  const std::string json = object.ToJson();
  return json.substr(1, json.size() - 2);
}

std::string WithDetails(absl::string_view text, absl::string_view details) {
  return details.empty() ? std::string(text)
                         : absl::StrCat(text, ": ", details);
}

Todo::Status StatusOf(absl::string_view status) {
  if (status == "inProgress") return Todo::Status::kInProgress;
  return TodoStatus(status).value_or(Todo::Status::kPending);
}

}  // namespace

AppServerProtocol::AppServerProtocol(const ProtocolOptions& options)
    : LineProtocol(options),
      items_(&ledger(), options.drift),
      requests_(options.continuation.generation, options.drift),
      resume_session_(options.continuation.session_id) {
  json::Parser setup;
  const auto parsed = setup.Parse(options.setup_json);
  if (parsed.ok()) {
    thread_params_ = MembersOf(parsed->Get("thread"));
    turn_params_ = MembersOf(parsed->Get("turn"));
    own_sandbox_ = !parsed->Get("thread").Get("sandbox").exists();
    const json::Value fork = parsed->Get("fork");
    if (fork.IsObject()) fork_params_ = MembersOf(fork);
  }
  Request("initialize", kInitializeParams);
}

void AppServerProtocol::OnLine(json::Value line, Emitter& out) {
  const rpc::Message message = rpc::Parse(line);
  switch (message.kind) {
    case rpc::Kind::kRequest:
      return OnRequest(message, out);
    case rpc::Kind::kNotification:
      return OnNotification(message, out);
    case rpc::Kind::kResponse:
    case rpc::Kind::kError:
      return OnResponse(message, out);
    case rpc::Kind::kInvalid:
      ReportUnknown("line", message.fault);
      if (message.wants_reply) {
        Reply(rpc::ErrorLine(message.id,
                             {rpc::kInvalidRequest, std::string(message.fault)},
                             rpc::VersionMember::kOmitted));
      }
      return out.EmitRaw("", message.fault);
  }
}

void AppServerProtocol::OnLongLine(json::Value head, Emitter& out) {
  const rpc::Message message = rpc::Parse(head);
  if (message.kind != rpc::Kind::kRequest) return;
  if (const auto reply = requests_.RefuseLong(message, out)) Reply(*reply);
}

void AppServerProtocol::OnRequest(const rpc::Message& request, Emitter& out) {
  const auto params =
      Read<AskParams>(request.params, {drift(), request.method});
  SetParent(params.thread_id, out);
  const AskedItem* item = nullptr;
  const auto tool = tools_.find(ToolKey(params.thread_id, params.item_id));
  if (tool != tools_.end()) item = &tool->second.asked;
  if (item == nullptr && !params.server_name.empty()) {
    // An elicitation names only the server of the tool that waits for it.
    for (auto& [key, open] : tools_) {
      if (open.asked.server != params.server_name) continue;
      open.asked.certain = item == nullptr;
      item = &open.asked;
    }
  }
  const std::optional<std::string> reply =
      requests_.Ask(request, params, item, out);
  if (reply) Reply(*reply);
}

void AppServerProtocol::Reply(std::string line) {
  if (!HasRoom()) return;
  Want({.key = absl::StrCat("reply-", generation(), ".", ++replies_),
        .bytes = std::move(line)});
}

void AppServerProtocol::OnNotification(const rpc::Message& message,
                                       Emitter& out) {
  const absl::string_view method = message.method;
  if (Has(kQuiet, method)) return;
  if (Has(kRaw, method)) return out.EmitRaw(method);
  const auto params = Read<Params>(message.params, {drift(), method});
  SetParent(params.thread_id, out);
  if (OnDelta(method, params, out) || OnNotice(method, params, out)) return;
  if (method == "item/started") {
    OnItem("item.started", params, out);
  } else if (method == "item/completed") {
    OnItem("item.completed", params, out);
  } else if (method == "turn/started") {
    OnTurnStarted(params, out);
  } else if (method == "turn/completed") {
    OnTurnCompleted(params, out);
  } else if (method == "turn/diff/updated") {
    OnDiff(params, out);
  } else if (method == "turn/plan/updated") {
    OnPlan(params, out);
  } else if (method == "thread/tokenUsage/updated") {
    if (!IsOurs(params.thread_id)) return;
    const auto total = ReadTotal(params.token_usage, drift());
    if (!total || total == total_) return;
    total_ = total;
    // A total after the turn's end belongs to the next one.
    if (ledger().turn_open()) out.Emit(meter().Peek(*total_));
  } else if (method == "account/rateLimits/updated") {
    OnRateLimits(params, out);
  } else if (method == "error") {
    OnError(params, out);
  } else if (method == "thread/started") {
    OnThreadStarted(params);
  } else if (method == "serverRequest/resolved") {
    (void)requests_.Withdraw(rpc::Id::FromJson(params.request_id),
                             "the agent needs no answer any more", out);
  } else {
    ReportUnknown("method", method);
    out.EmitRaw(method);
  }
}

bool AppServerProtocol::OnNotice(absl::string_view method, const Params& params,
                                 Emitter& out) {
  const auto emit = [&](Notice::Kind kind, std::string text) {
    out.Emit(Notice{.kind = kind, .text = std::move(text)});
    return true;
  };
  if (method == "configWarning" || method == "deprecationNotice") {
    return emit(Notice::Kind::kConfigWarning,
                WithDetails(params.summary, params.details));
  }
  if (method == "warning" || method == "guardianWarning") {
    return emit(Notice::Kind::kConfigWarning, std::string(params.message));
  }
  if (method == "model/rerouted") {
    return emit(Notice::Kind::kModelRerouted,
                absl::StrCat(params.from_model, " to ", params.to_model, ": ",
                             params.reason));
  }
  if (method == "thread/compacted") {
    return emit(Notice::Kind::kCompaction, "the context was compacted");
  }
  if (method == "hook/started" || method == "hook/completed") {
    return emit(Notice::Kind::kHook,
                absl::StrCat(params.run.Get("eventName").StringOr("hook"), " ",
                             params.run.Get("status").StringOr("started")));
  }
  if (method == "mcpServer/startupStatus/updated") {
    if (params.status.StringOr("") != "failed") return true;
    return emit(
        Notice::Kind::kConfigWarning,
        absl::StrCat("the MCP server ", params.name,
                     " could not be started: ", params.error.StringOr("")));
  }
  return false;
}

void AppServerProtocol::OnThreadStarted(const Params& params) {
  const auto thread = Read<Thread>(params.thread, {drift(), "thread"});
  if (thread_id_.empty() && thread.parent_thread_id.empty()) {
    // A stream without our side, which has no response to read.
    thread_id_ = std::string(thread.id);
    init_ = Init{.session_id = thread_id_,
                 .model = std::string(thread.model),
                 .cwd = std::string(thread.cwd),
                 .version = std::string(thread.cli_version)};
    return;
  }
  if (IsOurs(thread.id)) return;
  for (const auto& [key, tool] : tools_) {
    if (tool.spawns_agent) {
      agents_[std::string(thread.id)] = tool.asked.tool_use_id;
    }
  }
}

void AppServerProtocol::OnTurnStarted(const Params& params, Emitter& out) {
  if (!IsOurs(params.thread_id)) return;
  const auto turn = Read<Turn>(params.turn, {drift(), "turn"});
  if (turn.id == ended_turn_) return;
  OnTurnId(turn.id, out);
  turn_announced_ = true;
  SendActions();
}

void AppServerProtocol::OnTurnCompleted(const Params& params, Emitter& out) {
  if (!IsOurs(params.thread_id)) return;
  const auto turn = Read<Turn>(params.turn, {drift(), "turn"});
  if (!ledger().turn_open()) {
    return out.EmitRaw("turn/completed", "no turn is open");
  }
  Result result;
  result.text = items_.last_text();
  result.reason = std::string(turn.status);
  result.duration = turn.duration;
  result.fork_point = std::string(turn.id);
  if (turn.status != "completed") {
    result.is_error = true;
    result.error = ErrorText(turn.error);
    if (result.error.empty()) {
      result.error = turn.status == "interrupted" ? "interrupted" : last_error_;
    }
    if (result.error.empty()) result.error = "the turn failed";
  }
  if (total_) {
    result.usage = meter().AdvanceTo(*total_);
    out.Emit(result.usage);
  } else {
    result.usage = meter().Unreported();
  }
  total_.reset();
  const bool command_runs =
      std::any_of(tools_.begin(), tools_.end(),
                  [](const auto& tool) { return tool.second.is_command; });
  requests_.WithdrawAll("the turn ended and no answer was seen", out);
  ledger().EndTurn(std::move(result), out);
  tools_.clear();
  blocks_.clear();
  last_diff_.clear();
  last_error_.clear();
  items_.StartTurn();
  ended_turn_ = std::string(turn.id);
  turn_id_.clear();
  turn_announced_ = false;
  turn_starting_ = false;
  interrupting_ = false;
  if (command_runs && turn.status == "interrupted" && !thread_id_.empty()) {
    Request("thread/backgroundTerminals/clean",
            absl::StrCat(R"({"threadId":)",
                         rpc::Id::FromString(thread_id_).json(), "}"));
  }
  SendActions();
}

void AppServerProtocol::OnError(const Params& params, Emitter& out) {
  const std::string text =
      WithDetails(ErrorText(params.error),
                  params.error.Get("additionalDetails").StringOr(""));
  const bool retries = params.will_retry.value_or(false);
  if (!retries && IsOurs(params.thread_id)) last_error_ = text;
  out.Emit(
      Notice{.kind = retries ? Notice::Kind::kRetrying : Notice::Kind::kError,
             .text = text});
}

void AppServerProtocol::OnDiff(const Params& params, Emitter& out) {
  if (params.diff == last_diff_) return;
  last_diff_ = std::string(params.diff);
  out.Emit(Diff{.unified_diff = last_diff_});
}

void AppServerProtocol::OnPlan(const Params& params, Emitter& out) {
  Todo todo;
  for (const json::Value entry : params.plan.items()) {
    const auto step = Read<PlanStep>(entry, {drift(), "plan[]"});
    todo.items.push_back(
        {.text = std::string(step.step), .status = StatusOf(step.status)});
  }
  out.Emit(std::move(todo));
}

void AppServerProtocol::OnRateLimits(const Params& params, Emitter& out) {
  std::string json;
  params.rate_limits.AppendJson(&json);
  if (json == last_limits_) return;
  last_limits_ = std::move(json);
  for (RateLimit& limit : ReadRateLimits(params.rate_limits, drift())) {
    out.Emit(std::move(limit));
  }
}

void AppServerProtocol::OnEnd(Result result, Emitter& out) {
  requests_.WithdrawAll("the process ended", out);
  for (const Action& action : actions_) {
    if (!action.again) continue;
    out.Emit(Notice{
        .kind = Notice::Kind::kError,
        .text = absl::StrCat("Codex did not take an input while the turn ran, "
                             "and ended before the next one: send it again: ",
                             action.text)});
  }
  if (!last_error_.empty() && result.is_error) {
    absl::StrAppend(&result.error, ": ", last_error_);
  }
  result.text = items_.last_text();
  result.usage = total_ ? meter().AdvanceTo(*total_) : meter().Unreported();
  total_.reset();
  tools_.clear();
  blocks_.clear();
  actions_.clear();
  (void)ours_.TakeAll();
  ledger().EndStream(std::move(result), out);
}

std::unique_ptr<Protocol> NewAppServerProtocol(const ProtocolOptions& options) {
  return std::make_unique<AppServerProtocol>(options);
}

}  // namespace troika::codex
