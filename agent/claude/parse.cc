#include "agent/claude/parse.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "agent/claude/content.h"
#include "agent/tool_names.h"
#include "xxhash.h"

namespace troika::claude {
namespace {

enum class SystemKind { kUnknown, kInit, kTask, kHook, kNotice, kQuiet, kRaw };

struct SystemSubtype {
  absl::string_view name;
  absl::string_view where;
  SystemKind kind;
};

constexpr SystemSubtype kSystemSubtypes[] = {
    {"init", "system/init", SystemKind::kInit},
    {"status", "system/status", SystemKind::kNotice},
    {"thinking_tokens", "system/thinking_tokens", SystemKind::kNotice},
    {"task_started", "system/task_started", SystemKind::kTask},
    {"task_progress", "system/task_progress", SystemKind::kTask},
    {"task_updated", "system/task_updated", SystemKind::kTask},
    {"task_notification", "system/task_notification", SystemKind::kTask},
    {"background_tasks_changed", "", SystemKind::kQuiet},
    {"api_retry", "system/api_retry", SystemKind::kNotice},
    {"api_error", "system/api_error", SystemKind::kNotice},
    {"permission_denied", "system/permission_denied", SystemKind::kNotice},
    {"compact_boundary", "system/compact_boundary", SystemKind::kNotice},
    {"local_command_output", "system/local_command_output",
     SystemKind::kNotice},
    {"hook_started", "system/hook_started", SystemKind::kHook},
    {"hook_progress", "system/hook_progress", SystemKind::kHook},
    {"hook_response", "system/hook_response", SystemKind::kHook},
    {"model_refusal_no_fallback", "", SystemKind::kRaw},
};

SystemSubtype FindSubtype(absl::string_view name) {
  for (const SystemSubtype& subtype : kSystemSubtypes) {
    if (subtype.name == name) return subtype;
  }
  return {.name = name, .where = "", .kind = SystemKind::kUnknown};
}

std::vector<std::string> Names(json::Value list) {
  std::vector<std::string> names;
  for (const json::Value item : list.items()) {
    names.emplace_back(item.IsObject() ? item.Get("name").StringOr("")
                                       : item.StringOr(""));
  }
  return names;
}

bool IsError(const ResultLine& line) {
  // Up to 2.1.50, is_error is false for a turn that reached its step limit.
  if (line.subtype == "error_max_turns") return line.is_error.value_or(true);
  // In 1.0, is_error is false for an interrupted turn.
  return line.is_error.value_or(false) ||
         absl::StartsWith(line.subtype, "error");
}

std::string ErrorOf(const ResultLine& line) {
  if (!line.result.empty()) return std::string(line.result);
  std::string joined;
  for (const json::Value error : line.errors.items()) {
    absl::StrAppend(&joined, joined.empty() ? "" : "\n", error.StringOr(""));
  }
  return joined.empty() ? std::string(line.subtype) : joined;
}

}  // namespace

void ClaudeProtocol::OnUnknown(absl::string_view where, absl::string_view value,
                               Emitter& out) {
  ReportUnknown(where, value);
  out.EmitRaw(absl::StrCat(where, "/", value));
}

void ClaudeProtocol::OnLine(json::Value line, Emitter& out) {
  const absl::string_view type = line.Get("type").StringOr("");
  if (type == "stream_event") return OnStreamEvent(line, out);
  if (type == "assistant") return OnAssistant(line, out);
  if (type == "user") return OnUser(line, out);
  if (type == "system") {
    OnSystem(line, out);
  } else if (type == "result") {
    OnResult(line, out);
  } else if (type == "control_request") {
    OnControlRequest(line, out);
  } else if (type == "control_response") {
    OnControlResponse(line, out);
  } else if (type == "control_cancel_request") {
    OnControlCancel(line, out);
  } else if (type == "rate_limit_event") {
    OnRateLimit(line, out);
  } else if (type != "keep_alive" && type != "tool_progress") {
    ReportUnknown("type", type);
    out.EmitRaw(type);
  }
}

void ClaudeProtocol::OnSystem(json::Value line, Emitter& out) {
  const SystemSubtype subtype = FindSubtype(line.Get("subtype").StringOr(""));
  switch (subtype.kind) {
    case SystemKind::kInit:
      return OnInit(line, out);
    case SystemKind::kTask: {
      const auto task = Read<TaskLine>(line, Scope(subtype.where));
      const auto patch =
          Read<TaskPatch>(task.patch, Scope("system/task_updated.patch"));
      tasks_.OnLine(subtype.name, task, patch, ledger(), out);
      if (subtype.name == "task_notification") {
        requests_.OnAgentEnded(task.task_id, out);
      }
      return;
    }
    case SystemKind::kHook:
      return out.Emit(
          NoticeOf(subtype.name, Read<HookLine>(line, Scope(subtype.where))));
    case SystemKind::kNotice: {
      const auto wire = Read<SystemLine>(line, Scope(subtype.where));
      std::optional<Notice> notice = NoticeOf(subtype.name, wire, drift());
      if (!notice) return;
      if (notice->kind == Notice::Kind::kPermissionDenied &&
          !wire.tool_use_id.empty()) {
        notice->tool_use_id = ledger().ToolId(wire.tool_use_id);
      }
      return out.Emit(*std::move(notice));
    }
    case SystemKind::kQuiet:
      return;
    case SystemKind::kRaw:
      return out.EmitRaw(absl::StrCat("system/", subtype.name));
    case SystemKind::kUnknown:
      return OnUnknown("system", subtype.name, out);
  }
}

void ClaudeProtocol::OnInit(json::Value line, Emitter& out) {
  const auto init = Read<InitLine>(line, Scope("system/init"));
  ledger().StartTurn();
  turn_began_ = true;
  if (std::exchange(interrupted_early_, false)) OnInterruptAsked(out);
  if (!init.session_id.empty()) set_session_id(init.session_id);
  out.Emit(Init{.session_id = std::string(init.session_id),
                .model = std::string(init.model),
                .cwd = std::string(init.cwd),
                .version = std::string(init.version),
                .permission_mode = std::string(init.permission_mode),
                .tools = Names(init.tools),
                .mcp_servers = Names(init.mcp_servers)});
}

void ClaudeProtocol::OnRateLimit(json::Value line, Emitter& out) {
  auto info = Read<RateLimitInfo>(line, Scope("rate_limit_event"));
  if (info.nested.IsObject()) {
    info = Read<RateLimitInfo>(info.nested,
                               Scope("rate_limit_event.rate_limit_info"));
    if (info.window.empty()) info.window = info.type;
  }
  if (!info.utilization) {
    info.utilization =
        info.unified_windows.Get(info.window).Get("utilization").Double();
  }
  RateLimit limit = {.status = std::string(info.status),
                     .window = std::string(info.window),
                     .resets_at = std::nullopt,
                     .used = info.utilization};
  if (info.resets_at) {
    limit.resets_at = absl::UnixEpoch() + absl::Seconds(*info.resets_at);
  }
  out.Emit(std::move(limit));
}

void ClaudeProtocol::OnResult(json::Value line, Emitter& out) {
  const auto wire = Read<ResultLine>(line, Scope("result"));
  ledger().StartTurn();
  Result result = {.is_error = IsError(wire),
                   .error = "",
                   .text = std::string(wire.result),
                   .reason = std::string(wire.subtype),
                   .usage = usage_.End(wire, drift(), meter()),
                   .duration = wire.duration,
                   .synthetic = false};
  result.fork_point = std::exchange(last_message_, {});
  if (result.is_error) result.error = ErrorOf(wire);
  AddDenials(wire.permission_denials, &result);
  if (!wire.terminal_reason.empty() && wire.terminal_reason != "completed") {
    result.reason = std::string(wire.terminal_reason);
  }
  todos_.DropRunning();
  commands_.clear();
  requests_.OnTurnEnded(
      [&](absl::string_view agent) { return !tasks_.ToolUseOf(agent).empty(); },
      out);
  std::vector<std::string> background;
  if (!result.is_error) {
    for (const absl::string_view id : tasks_.ToolUses()) {
      // A subagent whose tool use is open works within the turn.
      if (!ledger().IsRunning(id)) background.push_back(ledger().ToolId(id));
    }
  }
  out.Emit(result.usage);
  ledger().EndTurn(std::move(result), out, background);
}

void ClaudeProtocol::AddDenials(json::Value denials, Result* result) {
  for (const json::Value item : denials.items()) {
    const auto denial =
        Read<PermissionDenial>(item, Scope("result.permission_denials"));
    const std::string id =
        denial.tool_use_id.empty() ? "" : ledger().ToolId(denial.tool_use_id);
    // A list may repeat what was denied in an earlier turn of the process.
    if (!id.empty() &&
        !denied_.insert(XXH3_64bits(id.data(), id.size())).second) {
      continue;
    }
    ++result->denial_count;
    if (result->denials.size() == kMaxDenials) continue;
    result->denials.push_back(
        {.tool_use_id = id,
         .tool_name = std::string(
             NormalizeToolName(Harness::kClaude, denial.tool_name).name)});
  }
}

void ClaudeProtocol::OnEnd(Result result, Emitter& out) {
  requests_.OnProcessEnded(out);
  usage_.Drop();
  subagent_usage_.clear();
  result.usage = meter().Unreported();
  ledger().EndStream(std::move(result), out);
}

}  // namespace troika::claude
