#include "agent/codex/session_file.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "agent/codex/items.h"
#include "agent/codex/record.h"
#include "agent/session_file_protocol.h"
#include "agent/tool_names.h"
#include "base/json_writer.h"

namespace troika::codex {
namespace {

// Lines that other lines tell better, or that hold settings and counters only.
constexpr absl::string_view kQuietTypes[] = {
    "world_state", "token_usage_record", "inter_agent_communication",
    "inter_agent_communication_metadata", "security_risk_score"};
constexpr absl::string_view kQuietItems[] = {
    "message", "reasoning", "additional_tools", "ghost_snapshot"};
constexpr absl::string_view kQuietEvents[] = {"thread_settings_applied",
                                              "thread_name_updated",
                                              "agent_reasoning_section_break"};

template <size_t kSize>
bool Has(const absl::string_view (&names)[kSize], absl::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// Returns the texts of an array of strings, or of objects with a text.
std::string Joined(json::Value parts) {
  std::string text(parts.StringOr(""));
  for (const json::Value part : parts.items()) {
    const absl::string_view more =
        part.IsString() ? part.StringOr("") : part.Get("text").StringOr("");
    if (more.empty()) continue;
    absl::StrAppend(&text, text.empty() ? "" : "\n", more);
  }
  return text;
}

UserInput PromptOf(json::Value content) {
  UserInput input = {.text = Joined(content)};
  for (const json::Value part : content.items()) {
    const absl::string_view type = part.Get("type").StringOr("");
    input.images +=
        type == "image" || type == "local_image" || type == "localImage";
  }
  return input;
}

// Returns the type of an item as `codex exec` names it, or nothing if it is no
// tool.
absl::string_view ToolType(absl::string_view type) {
  if (type == "CommandExecution") return "command_execution";
  if (type == "FileChange") return "file_change";
  if (type == "McpToolCall") return "mcp_tool_call";
  if (type == "WebSearch") return "web_search";
  if (type == "DynamicToolCall") return "dynamic_tool_call";
  if (type == "ImageView") return "image_view";
  if (type == "ImageGeneration") return "image_generation";
  return "";
}

bool IsShell(absl::string_view name) {
  return name == "exec_command" || name == "shell" || name == "shell_command" ||
         name == "container.exec" || name == "local_shell";
}

class RolloutProtocol final : public SessionFileProtocol {
 public:
  explicit RolloutProtocol(const ProtocolOptions& options)
      : SessionFileProtocol(options), items_(&ledger(), nullptr) {}

 private:
  void OnEntry(json::Value entry, Emitter& out) override;
  Usage TakeUsage() override;

  void OnMeta(json::Value meta, Emitter& out);
  void OnEvent(json::Value event, Emitter& out);
  // Returns whether the event begins or ends a turn.
  bool OnTurnEvent(absl::string_view type, json::Value event, Emitter& out);
  void OnItem(json::Value item, Emitter& out);
  void OnToolItem(absl::string_view type, json::Value value, Emitter& out);
  void OnResponseItem(json::Value item, Emitter& out);
  void OnCall(absl::string_view call_id, json::Value call, Emitter& out);
  // Reads the output of a call: a text, an array of texts, or, in old files,
  // a text that is an object with the output and the exit code.
  ToolResult OutputOf(json::Value output);
  void OnPlan(json::Value plan, Emitter& out);

  ItemReader items_;
  std::optional<TokenCounts> total_;  // The thread's, since the last turn.
  json::Parser arguments_;            // For JSON within strings.
  bool has_meta_ = false;
};

void RolloutProtocol::OnEntry(json::Value entry, Emitter& out) {
  const absl::string_view type = entry.Get("type").StringOr("");
  const json::Value payload = entry.Get("payload");
  if (type == "event_msg") {
    OnEvent(payload, out);
  } else if (type == "response_item") {
    OnResponseItem(payload, out);
  } else if (type == "session_meta") {
    OnMeta(payload, out);
  } else if (type == "turn_context") {
    SetModel(payload.Get("model").StringOr(""), out);
  } else if (type == "compacted") {
    out.Emit(Notice{.kind = Notice::Kind::kCompaction,
                    .text = "the context was compacted"});
  } else if (!Has(kQuietTypes, type)) {
    ReportUnknown("type", type);
    out.EmitRaw(type);
  }
}

void RolloutProtocol::OnMeta(json::Value meta, Emitter& out) {
  // A copy of another session begins with its own line, then has the other's.
  if (std::exchange(has_meta_, true)) return;
  set_session_id(meta.Get("id").StringOr(""));
  out.Emit(Init{.session_id = session_id(),
                .cwd = std::string(meta.Get("cwd").StringOr("")),
                .version = std::string(meta.Get("cli_version").StringOr(""))});
  const absl::string_view base =
      meta.Get("history_base").Get("thread_id").StringOr("");
  if (base.empty()) return;
  out.Emit(
      Notice{.text = absl::StrCat("this session goes on where session ", base,
                                  " was copied: what came before is "
                                  "in that session's file")});
}

void RolloutProtocol::OnEvent(json::Value event, Emitter& out) {
  const absl::string_view type = event.Get("type").StringOr("");
  if (OnTurnEvent(type, event, out)) return;
  if (type == "item_completed") {
    OnItem(event.Get("item"), out);
  } else if (type == "user_message") {
    BeginTurnIfNone(out);
    UserInput input = {.text = std::string(event.Get("message").StringOr(""))};
    input.images = static_cast<int>(event.Get("images").size() +
                                    event.Get("local_images").size());
    out.Emit(std::move(input));
  } else if (type == "agent_message") {
    BeginTurnIfNone(out);
    Say(event.Get("message").StringOr(""), out);
  } else if (type == "agent_reasoning") {
    BeginTurnIfNone(out);
    out.Emit(Thinking{.text = std::string(event.Get("text").StringOr(""))});
  } else if (type == "token_count") {
    const auto total =
        ReadUsage(TotalUsage(event.Get("info"), nullptr), nullptr);
    if (total) total_ = total;
  } else if (type == "error" || type == "stream_error" || type == "warning") {
    out.Emit(Notice{.kind = type == "warning" ? Notice::Kind::kConfigWarning
                                              : Notice::Kind::kError,
                    .text = std::string(event.Get("message").StringOr(""))});
  } else if (type == "context_compacted") {
    out.Emit(Notice{.kind = Notice::Kind::kCompaction,
                    .text = "the context was compacted"});
  } else if (!Has(kQuietEvents, type)) {
    out.EmitRaw(absl::StrCat("event_msg/", type));
  }
}

bool RolloutProtocol::OnTurnEvent(absl::string_view type, json::Value event,
                                  Emitter& out) {
  Result result;
  if (const auto millis = event.Get("duration_ms").Int()) {
    result.duration = absl::Milliseconds(*millis);
  }
  if (type == "task_started" || type == "turn_started") {
    BeginTurn(out);
  } else if (type == "task_complete" || type == "turn_complete") {
    result.reason = "completed";
    EndTurn(std::move(result), out);
  } else if (type == "turn_aborted") {
    result.is_error = true;
    result.reason = std::string(event.Get("reason").StringOr("aborted"));
    result.error = absl::StrCat("the turn was aborted: ", result.reason);
    EndTurn(std::move(result), out);
  } else {
    return false;
  }
  return true;
}

void RolloutProtocol::OnItem(json::Value item, Emitter& out) {
  const absl::string_view type = item.Get("type").StringOr("");
  const absl::string_view tool = ToolType(type);
  if (!tool.empty()) return OnToolItem(tool, item, out);
  if (type == "ContextCompaction") {
    out.Emit(Notice{.kind = Notice::Kind::kCompaction,
                    .text = "the context was compacted"});
  } else if (type == "UserMessage") {
    BeginTurnIfNone(out);
    out.Emit(PromptOf(item.Get("content")));
  } else if (type == "AgentMessage" || type == "Plan") {
    BeginTurnIfNone(out);
    Say(absl::StrCat(Joined(item.Get("content")),
                     item.Get("text").StringOr("")),
        out);
  } else if (type == "Reasoning") {
    std::string text = Joined(item.Get("summary_text"));
    if (text.empty()) text = Joined(item.Get("raw_content"));
    if (text.empty()) return;
    BeginTurnIfNone(out);
    out.Emit(Thinking{.text = std::move(text)});
  } else {
    ReportUnknown("item", type);
    out.EmitRaw(absl::StrCat("item_completed/", type));
  }
}

void RolloutProtocol::OnToolItem(absl::string_view type, json::Value value,
                                 Emitter& out) {
  BeginTurnIfNone(out);
  Item item = Read<Item>(value, {});
  item.type = type;
  // What is an array or a map here is a string or an array in Item.
  const std::string command = CommandLine(value.Get("command"));
  item.command = command;
  item.duration = ReadDuration(value.Get("duration"));
  const std::string changes_json = ChangesJson(value.Get("changes"));
  json::Parser changes;
  const absl::StatusOr<json::Value> parsed = changes.Parse(changes_json);
  if (parsed.ok()) item.changes = *parsed;
  items_.OnTool("item.completed", item, out);
}

void RolloutProtocol::OnResponseItem(json::Value item, Emitter& out) {
  const absl::string_view type = item.Get("type").StringOr("");
  const json::Value own_id = item.Get("id");
  const absl::string_view call_id =
      item.Get("call_id").StringOr(own_id.StringOr(""));
  if (type == "function_call" || type == "custom_tool_call" ||
      type == "local_shell_call") {
    OnCall(call_id, item, out);
  } else if (type == "function_call_output" ||
             type == "custom_tool_call_output") {
    if (!ledger().IsRunning(call_id)) return;
    ToolResult result = OutputOf(item.Get("output"));
    (void)ledger().EndTool(call_id, std::move(result), out);
  } else if (type == "web_search_call") {
    if (ledger().WasStarted(call_id)) return;
    OnCall(call_id, item, out);
    const absl::string_view query =
        item.Get("action").Get("query").StringOr("");
    (void)ledger().EndTool(call_id, {.output = std::string(query)}, out);
  } else if (type == "compaction" || type == "compaction_summary") {
    out.Emit(Notice{.kind = Notice::Kind::kCompaction,
                    .text = "the context was compacted"});
  } else if (!Has(kQuietItems, type)) {
    out.EmitRaw(absl::StrCat("response_item/", type));
  }
}

void RolloutProtocol::OnCall(absl::string_view call_id, json::Value call,
                             Emitter& out) {
  BeginTurnIfNone(out);
  ToolUse use;
  use.native_name = std::string(call.Get("name").StringOr(""));
  if (use.native_name.empty()) {
    const bool web = call.Get("type").StringOr("") == "web_search_call";
    use.native_name = web ? "web_search" : "local_shell";
  }
  absl::string_view server = call.Get("namespace").StringOr("");
  if (absl::ConsumePrefix(&server, "mcp__")) use.server = std::string(server);
  const absl::StatusOr<json::Value> parsed =
      arguments_.Parse(call.Get("arguments").StringOr("{}"));
  const json::Value action = call.Get("action");
  const json::Value arguments =
      action.IsObject() ? action
                        : (parsed.ok() ? *parsed : call.Get("arguments"));
  if (IsShell(use.native_name)) {
    use.name = "Bash";
    const json::Value cmd = arguments.Get("cmd");
    use.input_json =
        json::ObjectWriter()
            .String("command",
                    CommandLine(cmd.exists() ? cmd : arguments.Get("command")))
            .Take();
  } else if (call.Get("input").exists()) {
    use.input_json =
        json::ObjectWriter().Value("input", call.Get("input")).Take();
  } else if (arguments.IsObject()) {
    use.input_json = arguments.ToJson();
  } else {
    use.input_json = json::ObjectWriter().Value("arguments", arguments).Take();
  }
  if (use.name.empty()) {
    use.name =
        std::string(NormalizeToolName(Harness::kCodex, use.native_name).name);
  }
  const bool is_plan = use.native_name == "update_plan";
  ledger().StartTool(call_id, std::move(use), out);
  if (is_plan) OnPlan(arguments.Get("plan"), out);
}

ToolResult RolloutProtocol::OutputOf(json::Value output) {
  const absl::StatusOr<json::Value> object =
      arguments_.Parse(output.StringOr(""));
  if (!object.ok() || !object->Get("output").IsString()) {
    return {.output = Joined(output)};
  }
  ToolResult result = {.output =
                           std::string(object->Get("output").StringOr(""))};
  result.exit_code = ExitCode(object->Get("metadata").Get("exit_code").Int());
  result.is_error = result.exit_code.value_or(0) != 0;
  return result;
}

void RolloutProtocol::OnPlan(json::Value plan, Emitter& out) {
  Todo todo;
  for (const json::Value step : plan.items()) {
    todo.items.push_back({.text = std::string(step.Get("step").StringOr("")),
                          .status = TodoStatus(step.Get("status").StringOr(""))
                                        .value_or(Todo::Status::kPending)});
  }
  out.Emit(std::move(todo));
}

Usage RolloutProtocol::TakeUsage() {
  if (!total_) return meter().Unreported();
  const TokenCounts total = *std::exchange(total_, std::nullopt);
  return meter().AdvanceTo(total);
}

}  // namespace

std::unique_ptr<Protocol> NewSessionFileProtocol(
    const ProtocolOptions& options) {
  return std::make_unique<RolloutProtocol>(options);
}

}  // namespace troika::codex
