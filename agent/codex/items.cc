#include "agent/codex/items.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/message.h"
#include "agent/tool_names.h"
#include "base/json_writer.h"

namespace troika::codex {
namespace {

bool IsExecTool(absl::string_view type) {
  return type == "command_execution" || type == "file_change" ||
         type == "mcp_tool_call" || type == "web_search" ||
         type == "collab_tool_call";
}

bool HasFailed(const Item& item) {
  return item.status == "failed" || item.status == "declined" ||
         item.status == "errored" || item.status == "interrupted";
}

absl::string_view NameOfChanges(json::Value changes) {
  for (const json::Value change : changes.items()) {
    // In app-server, the kind is an object.
    const json::Value kind = change.Get("kind");
    if (kind.StringOr(kind.Get("type").StringOr("")) != "add") return "Edit";
  }
  return changes.size() > 0 ? "Write" : "Edit";
}

std::string ContentText(json::Value items) {
  std::string text;
  for (const json::Value item : items.items()) {
    absl::StrAppend(&text, text.empty() ? "" : "\n",
                    item.Get("text").StringOr(""));
  }
  return text;
}

ToolResult ResultOf(const Item& item, Drift* /*nullable*/ drift) {
  ToolResult result;
  result.is_error = HasFailed(item);
  result.denied = item.status == "declined";
  if (item.type == "command_execution") {
    result.output = std::string(item.aggregated_output);
    result.is_error |= item.exit_code.value_or(0) != 0;
    result.exit_code = ExitCode(item.exit_code);
    if (result.output.empty() && item.status == "declined") {
      result.output = "declined";
    }
  } else if (item.type == "file_change") {
    result.output = ErrorText(item.error);
    if (result.output.empty() && result.is_error) {
      result.output = std::string(item.status);
    }
  } else if (item.type == "mcp_tool_call") {
    result.output = ErrorText(item.error);
    result.is_error |= !result.output.empty() || IsMcpError(item.result);
    if (result.output.empty()) {
      result.output = McpResultText(item.result, drift);
    }
  } else if (item.type == "web_search") {
    // The use precedes the query, so the result reports it.
    result.output = std::string(item.query);
  } else if (item.agents_states.size() > 0) {
    result.output = item.agents_states.ToJson();
  } else if (item.content_items.size() > 0) {
    result.output = ContentText(item.content_items);
  }
  result.is_error |= !item.success.value_or(true);
  result.duration = item.duration;
  return result;
}

bool HasEnded(absl::string_view agent_status) {
  return agent_status != "pending_init" && agent_status != "pendingInit" &&
         agent_status != "running" && !agent_status.empty();
}

}  // namespace

ToolUse ToolUseOf(const Item& item) {
  ToolUse use;
  use.native_name = std::string(item.type);
  if (item.type == "command_execution") {
    use.input_json =
        json::ObjectWriter().String("command", item.command).Take();
  } else if (item.type == "file_change") {
    use.name = std::string(NameOfChanges(item.changes));
    use.input_json = json::ObjectWriter().Value("changes", item.changes).Take();
  } else if (item.type == "mcp_tool_call") {
    use.name = use.native_name = std::string(item.tool);
    use.server = std::string(item.server);
    use.input_json = item.arguments.exists() ? item.arguments.ToJson() : "{}";
  } else if (item.type == "web_search") {
    use.input_json = json::ObjectWriter()
                         .String("query", item.query)
                         .Value("action", item.action)
                         .Take();
  } else if (item.type == "dynamic_tool_call") {
    use.native_name = std::string(item.tool);
    use.input_json = item.arguments.exists() ? item.arguments.ToJson() : "{}";
  } else if (item.type != "collab_tool_call") {
    json::ObjectWriter input;
    if (!item.path.empty()) input.String("path", item.path);
    use.input_json = input.Take();
  } else {
    if (!item.tool.empty()) use.native_name = std::string(item.tool);
    use.input_json = json::ObjectWriter()
                         .String("prompt", item.prompt)
                         .String("sender_thread_id", item.sender_thread_id)
                         .Value("receiver_thread_ids", item.receiver_thread_ids)
                         .Take();
  }
  if (use.name.empty()) {
    use.name =
        std::string(NormalizeToolName(Harness::kCodex, use.native_name).name);
  }
  return use;
}

bool ItemReader::IsTool(absl::string_view type) {
  return IsExecTool(type) || type == "dynamic_tool_call" ||
         type == "image_view" || type == "image_generation" || type == "sleep";
}

void ItemReader::OnItem(absl::string_view event, json::Value value,
                        Emitter& out) {
  Item item = Read<Item>(value, {drift_, "item"});
  if (item.type.empty()) item.type = item.item_type;
  const bool completed = event == "item.completed";
  if (item.type == "todo_list") {
    OnTodo(item, out);
  } else if (event == "item.updated") {
    out.EmitRaw(event);
  } else if (IsExecTool(item.type)) {
    OnTool(event, item, out);
  } else if (completed && (item.type == "agent_message" ||
                           item.type == "assistant_message")) {
    last_text_.assign(item.text.data(), item.text.size());
    out.Emit(Text{.text = std::string(item.text)});
  } else if (completed && item.type == "reasoning") {
    out.Emit(Thinking{.text = std::string(item.text)});
  } else if (completed && item.type == "error") {
    out.Emit(Notice{.kind = Notice::Kind::kConfigWarning,
                    .text = std::string(item.message)});
  } else {
    if (drift_) drift_->UnknownType(absl::StrCat(event, " item"), item.type);
    out.EmitRaw(absl::StrCat(event, "/", item.type));
  }
}

void ItemReader::OnTool(absl::string_view event, const Item& item,
                        Emitter& out) {
  if (event == "item.started") {
    ledger_.StartTool(item.id, ToolUseOf(item), out);
    return;
  }
  if (!ledger_.IsRunning(item.id) && ledger_.WasStarted(item.id)) {
    out.EmitRaw(event, "its tool use has a result already");
    return;
  }
  // Before 0.124, some kinds have no item.started.
  if (!ledger_.IsRunning(item.id)) {
    ledger_.StartTool(item.id, ToolUseOf(item), out);
  }
  (void)ledger_.EndTool(item.id, ResultOf(item, drift_), out);
  if (item.type == "collab_tool_call") OnSubagents(item, out);
}

void ItemReader::OnTodo(const Item& item, Emitter& out) {
  Todo todo;
  for (const json::Value entry : item.items.items()) {
    const TodoItem read = Read<TodoItem>(entry, {drift_, "item.items[]"});
    todo.items.push_back({.text = std::string(read.text),
                          .status = read.completed.value_or(false)
                                        ? Todo::Status::kCompleted
                                        : Todo::Status::kPending});
  }
  out.Emit(std::move(todo));
}

void ItemReader::OnSubagents(const Item& item, Emitter& out) {
  for (const json::Value thread : item.receiver_thread_ids.items()) {
    const std::string id(thread.StringOr(""));
    if (item.tool != "spawn_agent" || !subagents_.insert(id).second) continue;
    out.Emit(Subagent{.phase = Subagent::Phase::kStarted,
                      .id = id,
                      .tool_use_id = ledger_.ToolId(item.id),
                      .description = std::string(item.prompt)});
  }
  for (const json::Member& agent : item.agents_states.members()) {
    const AgentState state =
        Read<AgentState>(agent.value, {drift_, "item.agents_states{}"});
    if (!HasEnded(state.status) || subagents_.erase(agent.key) == 0) continue;
    out.Emit(Subagent{.phase = Subagent::Phase::kEnded,
                      .id = std::string(agent.key),
                      .tool_use_id = ledger_.ToolId(item.id),
                      .description = std::string(state.message),
                      .status = std::string(state.status)});
  }
}

}  // namespace troika::codex
