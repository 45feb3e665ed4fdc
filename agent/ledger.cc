#include "agent/ledger.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xxhash.h"

namespace troika {
namespace {

uint64_t HashOf(absl::string_view id) {
  return XXH3_64bits(id.data(), id.size());
}

}  // namespace

void Ledger::set_generation(int generation) {
  prefix_ = generation > 1 ? absl::StrCat("g", generation, ".") : "";
  renamed_.clear();
  abandoned_.clear();
}

void Ledger::StartTool(absl::string_view native_id, ToolUse use, Emitter& out) {
  if (IsRunning(native_id)) {
    ToolResult lost;
    lost.is_error = true;
    lost.synthetic = true;
    lost.output = "no result: another tool use began under the same id";
    (void)EndTool(native_id, std::move(lost), out);
  }
  use.id = UniqueId(native_id, out.NextId());
  if (!abandoned_.empty()) abandoned_.erase(native_id);
  running_[native_id] = {.id = use.id,
                         .parent_tool_use_id = out.parent_tool_use_id(),
                         .order = started_++};
  out.Emit(std::move(use));
}

bool Ledger::IsRunning(absl::string_view native_id) const {
  return running_.contains(native_id);
}

bool Ledger::WasAbandoned(absl::string_view native_id) const {
  return abandoned_.contains(native_id);
}

bool Ledger::EndTool(absl::string_view native_id, ToolResult result,
                     Emitter& out) {
  const auto it = running_.find(native_id);
  if (it == running_.end()) return false;
  const Running tool = std::move(it->second);
  running_.erase(it);
  result.tool_use_id = tool.id;
  out.EmitFor(tool.parent_tool_use_id, std::move(result));
  return true;
}

bool Ledger::WasStarted(absl::string_view native_id) const {
  const std::string id = absl::StrCat(prefix_, native_id);
  return !native_id.empty() && used_.contains(HashOf(id));
}

std::string Ledger::ToolId(absl::string_view native_id) const {
  const auto renamed = renamed_.find(native_id);
  if (renamed != renamed_.end()) return renamed->second;
  return absl::StrCat(prefix_, native_id);
}

std::string Ledger::UniqueId(absl::string_view native_id, EventId at) {
  std::string id = absl::StrCat(prefix_, native_id);
  const auto is_new = [&] { return used_.insert(HashOf(id)).second; };
  if (!native_id.empty() && is_new()) {
    if (!renamed_.empty()) renamed_.erase(native_id);
    return id;
  }
  do {
    absl::StrAppend(&id, "~", at.record, ".", at.index);
  } while (!is_new());
  renamed_[native_id] = id;
  return id;
}

void Ledger::EndTools(absl::string_view why, bool is_error,
                      absl::Span<const std::string> background, Emitter& out) {
  std::vector<std::pair<int64_t, std::string>> order;
  for (const auto& [native_id, tool] : running_) {
    const bool runs_on = std::find(background.begin(), background.end(),
                                   tool.parent_tool_use_id) != background.end();
    if (runs_on) continue;
    order.emplace_back(tool.order, native_id);
  }
  std::sort(order.begin(), order.end());
  for (const auto& [unused, native_id] : order) {
    ToolResult result;
    result.output = absl::StrCat("no result: ", why);
    result.is_error = is_error;
    result.synthetic = true;
    (void)EndTool(native_id, std::move(result), out);
    abandoned_.insert(native_id);
  }
}

void Ledger::EndTurn(Result result, Emitter& out,
                     absl::Span<const std::string> background) {
  EndTools(result.synthetic ? "the stream ended while this ran"
                            : "the turn ended while this ran",
           result.is_error, background, out);
  turn_open_ = false;
  out.Emit(std::move(result));
}

void Ledger::EndStream(Result result, Emitter& out) {
  result.synthetic = true;
  if (turn_open_) {
    EndTurn(std::move(result), out);
  } else {
    EndTools("the stream ended while this ran", /*is_error=*/true,
             /*background=*/{}, out);
  }
}

}  // namespace troika
