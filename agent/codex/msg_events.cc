#include "agent/codex/msg_events.h"

#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "agent/line_protocol.h"
#include "agent/message.h"
#include "agent/tool_names.h"
#include "base/json_writer.h"

namespace troika::codex {
namespace {

// Returns `Write` if every change adds a file, else `Edit`.
absl::string_view NameOfChangeMap(json::Value changes) {
  for (const json::Member& file : changes.members()) {
    if (!file.value.Get("add").exists()) return "Edit";
  }
  return changes.size() > 0 ? "Write" : "Edit";
}

// A block's id contains the number of the record with its first delta.
void OpenBlock(absl::string_view kind, std::string* block, const Emitter& out) {
  if (block->empty()) *block = absl::StrCat(kind, "-", out.record().number);
}

}  // namespace

bool MsgEvents::Knows(json::Value line) {
  return line.Get("msg").IsObject() || line.Get("prompt").IsString() ||
         line.Get("workdir").IsString();
}

bool MsgEvents::BeginsProcess(json::Value line) {
  return line.Get("workdir").IsString();
}

void MsgEvents::StartProcess() {
  seen_ = false;
  prompt_told_ = false;
  turn_seen_ = false;
  total_.reset();
  last_text_.clear();
  last_error_.clear();
}

void MsgEvents::OnLine(json::Value line, Emitter& out) {
  seen_ = true;
  const json::Value value = line.Get("msg");
  if (!value.IsObject()) {
    OnSettings(line, out);
    return;
  }
  const Msg msg = Read<Msg>(value, {drift_, "msg"});
  if (OnSaying(msg, out) || OnToolBegin(msg, out) || OnToolEnd(msg, out) ||
      OnReport(msg, out) || OnLifecycle(msg, out)) {
    return;
  }
  if (drift_) drift_->UnknownType("msg.type", msg.type);
  out.EmitRaw(absl::StrCat("msg/", msg.type));
}

void MsgEvents::OnSettings(json::Value line, Emitter& out) {
  const Settings settings = Read<Settings>(line, {drift_, "settings"});
  if (line.Get("prompt").IsString()) {
    if (prompt_told_) return;
    out.Emit(UserInput{.text = std::string(settings.prompt)});
    return;
  }
  Init init;
  init.model = std::string(settings.model);
  init.cwd = std::string(settings.workdir);
  init.permission_mode = std::string(settings.sandbox);
  out.Emit(std::move(init));
}

bool MsgEvents::OnLifecycle(const Msg& msg, Emitter& out) {
  const bool ends = msg.type == "task_complete" || msg.type == "turn_aborted";
  if (ends && !ledger_.turn_open() && turn_seen_) {
    out.EmitRaw(absl::StrCat("msg/", msg.type), "no turn is open");
    return true;
  }
  if (msg.type == "task_started") {
    if (ledger_.turn_open()) OnEnd(ResultOfEnd({}), out);
    ledger_.StartTurn();
    turn_seen_ = true;
    last_error_.clear();
    last_text_.clear();
    out.Emit(Notice{.kind = Notice::Kind::kTurnStarted});
  } else if (msg.type == "task_complete") {
    Result result;
    result.is_error = !last_error_.empty();
    result.error = last_error_;
    result.reason = "completed";
    if (!msg.last_agent_message.empty()) {
      last_text_ = std::string(msg.last_agent_message);
    }
    FinishTurn(std::move(result), out);
  } else if (msg.type == "turn_aborted") {
    FinishTurn({.is_error = true,
                .error = absl::StrCat("the turn was aborted: ", msg.reason),
                .reason = std::string(msg.reason)},
               out);
  } else if (msg.type == "session_configured") {
    Init init;
    init.session_id = std::string(msg.session_id);
    init.model = std::string(msg.model);
    out.Emit(std::move(init));
  } else {
    // These types carry no information.
    return msg.type == "shutdown_complete" ||
           msg.type == "agent_reasoning_section_break";
  }
  return true;
}

bool MsgEvents::OnSaying(const Msg& msg, Emitter& out) {
  if (msg.type == "agent_message") {
    last_text_ = std::string(msg.message);
    const std::string block = std::exchange(text_block_, "");
    out.Emit(Text{.text = last_text_}, block);
  } else if (msg.type == "agent_reasoning" ||
             msg.type == "agent_reasoning_raw_content") {
    const std::string block = std::exchange(thinking_block_, "");
    out.Emit(Thinking{.text = std::string(msg.text)}, block);
  } else if (msg.type == "agent_message_delta") {
    OpenBlock("text", &text_block_, out);
    out.Emit(TextDelta{.text = std::string(msg.delta)}, text_block_);
  } else if (msg.type == "agent_reasoning_delta" ||
             msg.type == "agent_reasoning_raw_content_delta") {
    OpenBlock("thinking", &thinking_block_, out);
    out.Emit(ThinkingDelta{.text = std::string(msg.delta)}, thinking_block_);
  } else if (msg.type == "user_message") {
    out.Emit(UserInput{.text = std::string(msg.message)});
  } else if (msg.type == "error") {
    last_error_ = std::string(msg.message);
    out.Emit(Notice{.kind = Notice::Kind::kError, .text = last_error_});
  } else if (msg.type == "stream_error") {
    out.Emit(Notice{.kind = Notice::Kind::kRetrying,
                    .text = std::string(msg.message)});
  } else if (msg.type == "background_event") {
    out.Emit(Notice{.text = std::string(msg.message)});
  } else {
    return false;
  }
  return true;
}

bool MsgEvents::OnToolBegin(const Msg& msg, Emitter& out) {
  ToolUse use;
  if (msg.type == "exec_command_begin") {
    use.name = "Bash";
    use.native_name = "exec_command";
    use.input_json =
        json::ObjectWriter().String("command", CommandLine(msg.command)).Take();
  } else if (msg.type == "patch_apply_begin") {
    use.name = std::string(NameOfChangeMap(msg.changes));
    use.native_name = "apply_patch";
    use.input_json =
        json::ObjectWriter().Json("changes", ChangesJson(msg.changes)).Take();
  } else if (msg.type == "mcp_tool_call_begin") {
    const Invocation call =
        Read<Invocation>(msg.invocation, {drift_, "msg.invocation"});
    use.name = std::string(call.tool);
    use.native_name = std::string(call.tool);
    use.server = std::string(call.server);
    use.input_json = call.arguments.exists() ? call.arguments.ToJson() : "{}";
  } else if (msg.type == "web_search_begin") {
    use.name = "WebSearch";
    use.native_name = "web_search";
    use.input_json = "{}";
  } else {
    return false;
  }
  ledger_.StartTool(msg.call_id, std::move(use), out);
  return true;
}

bool MsgEvents::OnToolEnd(const Msg& msg, Emitter& out) {
  ToolResult result;
  result.duration = ReadDuration(msg.duration);
  if (msg.type == "exec_command_output_delta") {
    OnOutputDelta(msg, out);
    return true;
  }
  if (msg.type == "exec_command_end") {
    result.output = msg.aggregated_output.IsString()
                        ? std::string(msg.aggregated_output.StringOr(""))
                        : absl::StrCat(msg.stdout_text, msg.stderr_text);
    result.exit_code = ExitCode(msg.exit_code);
    result.is_error = msg.exit_code.value_or(0) != 0;
  } else if (msg.type == "patch_apply_end") {
    result.output = absl::StrCat(msg.stdout_text, msg.stderr_text);
    result.is_error = !msg.success.value_or(true);
  } else if (msg.type == "mcp_tool_call_end") {
    const json::Value failed = msg.result.Get("Err");
    const json::Value good = msg.result.Get("Ok");
    result.is_error = failed.exists() || IsMcpError(good);
    result.output =
        failed.exists() ? ErrorText(failed) : McpResultText(good, drift_);
  } else if (msg.type == "web_search_end") {
    result.output = std::string(msg.query);
  } else {
    return false;
  }
  EndTool(msg, std::move(result), out);
  return true;
}

void MsgEvents::EndTool(const Msg& msg, ToolResult result, Emitter& out) {
  if (!ledger_.EndTool(msg.call_id, std::move(result), out)) {
    out.EmitRaw(absl::StrCat("msg/", msg.type), "no such tool runs");
  }
}

void MsgEvents::OnOutputDelta(const Msg& msg, Emitter& out) {
  std::string text;
  if (!ledger_.IsRunning(msg.call_id) ||
      !absl::Base64Unescape(msg.chunk, &text)) {
    out.EmitRaw("msg/exec_command_output_delta",
                "not base64 of a tool's output");
    return;
  }
  out.Emit(ToolOutputDelta{.tool_use_id = ledger_.ToolId(msg.call_id),
                           .text = std::move(text)});
}

bool MsgEvents::OnReport(const Msg& msg, Emitter& out) {
  if (msg.type == "plan_update") {
    OnPlan(msg, out);
  } else if (msg.type == "token_count") {
    OnTokenCount(msg, out);
  } else if (msg.type == "turn_diff") {
    out.Emit(Diff{.unified_diff = std::string(msg.unified_diff)});
  } else {
    return false;
  }
  return true;
}

void MsgEvents::OnPlan(const Msg& msg, Emitter& out) {
  Todo todo;
  for (const json::Value value : msg.plan.items()) {
    const PlanStep step = Read<PlanStep>(value, {drift_, "msg.plan[]"});
    todo.items.push_back(
        {.text = std::string(step.step),
         .status = TodoStatus(step.status).value_or(Todo::Status::kPending)});
  }
  out.Emit(std::move(todo));
}

void MsgEvents::OnTokenCount(const Msg& msg, Emitter& out) {
  const std::optional<TokenCounts> total =
      ReadUsage(TotalUsage(msg.info, drift_), drift_);
  if (!total) {
    // The event may also come for rate limits alone, whose format varied.
    if (msg.rate_limits.IsObject()) out.EmitRaw("msg/token_count");
    return;
  }
  total_ = total;
  out.Emit(meter_.Peek(*total));
}

void MsgEvents::FinishTurn(Result result, Emitter& out) {
  result.text = last_text_;
  result.usage = total_ ? meter_.AdvanceTo(*total_) : meter_.Unreported();
  total_.reset();
  turn_seen_ = true;
  ledger_.EndTurn(std::move(result), out);
}

void MsgEvents::OnEnd(Result result, Emitter& out) {
  if (!ledger_.turn_open()) {
    ledger_.EndStream(std::move(result), out);
    return;
  }
  result.synthetic = true;
  if (!last_error_.empty()) {
    result.is_error = true;
    result.error = last_error_;
  }
  FinishTurn(std::move(result), out);
}

}  // namespace troika::codex
