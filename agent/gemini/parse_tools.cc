// Implements the part of GeminiProtocol that handles tools.
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/gemini/parse.h"
#include "agent/tool_names.h"

namespace troika::gemini {
namespace {

std::string OutputText(json::Value output) {
  if (output.IsString()) return std::string(output.StringOr(""));
  return output.exists() ? output.ToJson() : "";
}

// Combines the texts of a failed tool: `output` is what the CLI would show,
// often just that it failed, and `message` is what the model gets.
std::string ErrorText(std::string output, absl::string_view message) {
  if (absl::StrContains(message, output)) return std::string(message);
  if (absl::StrContains(output, message)) return output;
  return absl::StrCat(output, "\n", message);
}

}  // namespace

void GeminiProtocol::OnToolUse(const ToolUseLine& use, Emitter& out) {
  ledger().StartTurn();
  // If a second tool begins with this id, the ledger ends the first one.
  EndAgent(use.tool_id, /*status=*/"", out);
  const ToolName name = NormalizeToolName(Harness::kGemini, use.tool_name);
  ToolUse message;
  message.name = std::string(name.name);
  message.native_name = std::string(use.tool_name);
  message.server = std::string(name.server);
  message.input_json = use.parameters.exists() ? use.parameters.ToJson() : "{}";
  ledger().StartTool(use.tool_id, std::move(message), out);
  if (use.tool_name == "write_todos") {
    EmitTodo(use.parameters, out);
  } else if (use.tool_name == "invoke_agent") {
    StartAgent(use, out);
  }
}

void GeminiProtocol::EmitTodo(json::Value parameters, Emitter& out) {
  const json::Value todos = parameters.Get("todos");
  if (!todos.IsArray()) {
    ReportUnknown("tool_use.parameters.todos", json::TypeName(todos.type()));
    return;
  }
  Todo todo;
  todo.items.reserve(todos.size());
  for (const json::Value item : todos.items()) {
    const TodoEntry entry = ReadTodoEntry(item, drift());
    const std::optional<Todo::Status> status = TodoStatus(entry.status);
    if (!status)
      ReportUnknown("tool_use.parameters.todos[].status", entry.status);
    todo.items.push_back({.text = std::string(entry.description),
                          .status = status.value_or(Todo::Status::kPending)});
  }
  out.Emit(std::move(todo));
}

void GeminiProtocol::OnToolResult(const ToolResultLine& result, Emitter& out) {
  const FieldScope scope = {drift(), "tool_result.error"};
  const ErrorInfo error = ReadErrorInfo(result.error, scope);
  if (result.output.exists() && !result.output.IsString()) {
    ReportUnknown("tool_result.output", json::TypeName(result.output.type()));
  }
  ToolResult message;
  message.is_error = result.status != "success";
  if (message.is_error && result.status != "error") {
    ReportUnknown("tool_result.status", result.status);
  }
  message.output = OutputText(result.output);
  if (message.is_error) {
    message.output = ErrorText(std::move(message.output), error.message);
  }
  EndAgent(result.tool_id, result.status, out);
  if (!ledger().EndTool(result.tool_id, std::move(message), out)) {
    out.EmitRaw("tool_result", "no tool of this id is running");
  }
}

void GeminiProtocol::StartAgent(const ToolUseLine& use, Emitter& out) {
  const AgentCall call = ReadAgentCall(use.parameters, drift());
  Subagent agent;
  agent.id = agent.tool_use_id = ledger().ToolId(use.tool_id);
  agent.kind = std::string(call.agent_name);
  agent.description = std::string(call.prompt);
  out.Emit(Subagent(agent));
  agent.phase = Subagent::Phase::kEnded;
  agent.description.clear();
  agents_.emplace(use.tool_id, std::move(agent));
}

void GeminiProtocol::EndAgent(absl::string_view native_id,
                              absl::string_view status, Emitter& out) {
  const auto it = agents_.find(native_id);
  if (it == agents_.end()) return;
  it->second.status = std::string(status);
  out.Emit(std::move(it->second));
  agents_.erase(it);
}

void GeminiProtocol::EndAllAgents(Emitter& out) {
  for (auto& [native_id, agent] : agents_) out.Emit(std::move(agent));
  agents_.clear();
}

}  // namespace troika::gemini
