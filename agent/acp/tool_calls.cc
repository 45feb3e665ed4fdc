#include "agent/acp/tool_calls.h"

#include <utility>

#include "absl/strings/match.h"

namespace troika::acp {
namespace {

bool IsEnd(absl::string_view status) {
  return status == "completed" || status == "failed";
}

std::optional<int> ExitCode(json::Value raw_output) {
  for (const absl::string_view name : {"exit_code", "exitCode"}) {
    const std::optional<int64_t> code = raw_output.Get(name).Int();
    if (code && *code >= -255 && *code <= 255) return static_cast<int>(*code);
  }
  return std::nullopt;
}

// Returns what the call brought: its text, else its changes, else the raw
// output in the agent's own form.
std::string OutputOf(const CallFacts& facts, json::Value raw_output) {
  if (!facts.text.empty()) return facts.text;
  if (!facts.diff.empty()) return facts.diff;
  if (raw_output.IsString()) return std::string(raw_output.StringOr(""));
  const bool empty = !raw_output.exists() || raw_output.IsNull() ||
                     (raw_output.IsObject() && raw_output.size() == 0);
  return empty ? "" : raw_output.ToJson();
}

}  // namespace

size_t ToolCalls::bytes() const {
  size_t bytes = 0;
  for (const auto& [native_id, call] : calls_) {
    bytes += native_id.size() + call.explanation.size() + call.facts.bytes();
  }
  return bytes;
}

ToolCalls::Call* ToolCalls::FindOrAdd(const ToolCall& wire, Emitter& out) {
  const auto it = calls_.find(wire.id);
  const bool known = it != calls_.end();
  if (known && IsEnd(wire.status)) return &it->second;
  if ((!known && calls_.size() == kMaxCalls) || bytes() >= kMaxBytes) {
    out.EmitRaw("tool_call", "too many tool calls at once");
    return nullptr;
  }
  return known ? &it->second : &calls_[std::string(wire.id)];
}

void ToolCalls::Begin(absl::string_view native_id, Call& call, Emitter& out) {
  if (std::exchange(call.begun, true)) return;
  call.explanation = call.facts.text;
  ledger_.StartTool(native_id, ToolUseOf(harness_, native_id, call.facts), out);
}

void ToolCalls::OnCall(const ToolCall& wire, Emitter& out) {
  // Some agents announce a call again that they asked a permission for.
  if (calls_.contains(wire.id)) return OnUpdate(wire, out);
  Call* const call = FindOrAdd(wire, out);
  if (call == nullptr) return;
  call->facts.Merge(wire);
  const CallFacts& facts = call->facts;
  const bool told = !facts.raw_input_json.empty() || !facts.text.empty() ||
                    !facts.diff.empty();
  if (told || wire.status != "pending") Begin(wire.id, *call, out);
  if (IsEnd(wire.status)) End(wire, out);
}

void ToolCalls::OnUpdate(const ToolCall& wire, Emitter& out) {
  if (!calls_.contains(wire.id) && ledger_.WasStarted(wire.id)) {
    if (wire.status == "failed" && denied_.contains(wire.id)) return;
    return out.EmitRaw("tool_call_update", "the tool has its result already");
  }
  Call* const call = FindOrAdd(wire, out);
  if (call == nullptr) return;
  const bool begun = call->begun;
  const std::string before = begun ? call->facts.text : "";
  call->facts.Merge(wire);
  Begin(wire.id, *call, out);
  if (IsEnd(wire.status)) return End(wire, out);
  // Content is told whole each time; what it adds is new output.
  const absl::string_view now = call->facts.text;
  if (begun && now.size() > before.size() && absl::StartsWith(now, before)) {
    out.Emit(ToolOutputDelta{.tool_use_id = ledger_.ToolId(wire.id),
                             .text = std::string(now.substr(before.size()))});
  }
}

void ToolCalls::End(const ToolCall& wire, Emitter& out) {
  const auto it = calls_.find(wire.id);
  CallFacts& facts = it->second.facts;
  if (!wire.content.IsArray() && facts.text == it->second.explanation) {
    facts.text.clear();
  }
  ToolResult result;
  result.output = OutputOf(facts, wire.raw_output);
  result.is_error = wire.status == "failed";
  result.exit_code = ExitCode(wire.raw_output);
  // codex-acp 2.6 tells it there.
  if (!result.exit_code) {
    result.exit_code = ExitCode(wire.meta.Get("terminal_exit"));
  }
  calls_.erase(it);
  (void)ledger_.EndTool(wire.id, std::move(result), out);
}

const CallFacts* ToolCalls::OnAsked(const ToolCall& wire, Emitter& out) {
  Call* const call = FindOrAdd(wire, out);
  if (call == nullptr) return nullptr;
  call->facts.Merge(wire);
  Begin(wire.id, *call, out);
  call->explanation = call->facts.text;
  return &call->facts;
}

void ToolCalls::Deny(absl::string_view native_id, absl::string_view why,
                     Emitter& out) {
  if (calls_.erase(std::string(native_id)) == 0) return;
  if (denied_.size() < kMaxCalls) denied_.insert(std::string(native_id));
  ToolResult result;
  result.output = std::string(why);
  result.is_error = true;
  result.synthetic = true;
  (void)ledger_.EndTool(native_id, std::move(result), out);
}

void ToolCalls::OnTurnEnded(Emitter& out) {
  for (auto& [native_id, call] : calls_) Begin(native_id, call, out);
  calls_.clear();
  denied_.clear();
}

}  // namespace troika::acp
