// Handles items of app-server: texts, tools, and their deltas.

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/codex/app_server.h"
#include "xxhash.h"

namespace troika::codex {
namespace {

std::string Joined(json::Value lines) {
  std::string text;
  for (const json::Value line : lines.items()) {
    if (line.StringOr("").empty()) continue;
    absl::StrAppend(&text, text.empty() ? "" : "\n", line.StringOr(""));
  }
  return text;
}

// Bound what an agent that begins tools without end makes us remember.
constexpr size_t kMaxTools = 1024;
constexpr size_t kMaxToolBytes = size_t{64} << 20;

bool IsText(absl::string_view type) {
  return type == "agentMessage" || type == "plan";
}

// Known items that have no message of their own.
bool IsRaw(absl::string_view type) {
  return type == "hookPrompt" || type == "functionCallOutput" ||
         type == "subAgentActivity" || type == "enteredReviewMode" ||
         type == "exitedReviewMode";
}

}  // namespace

std::string AppServerProtocol::ToolKey(absl::string_view thread_id,
                                       absl::string_view item_id) const {
  return IsOurs(thread_id) ? std::string(item_id)
                           : absl::StrCat(thread_id, "/", item_id);
}

std::string AppServerProtocol::BlockKey(const Params& params,
                                        absl::string_view item_id) const {
  return absl::StrCat(params.thread_id, "/", params.turn_id, "/", item_id);
}

std::string AppServerProtocol::TakeBlock(const std::string& key) {
  const auto it = blocks_.find(key);
  if (it == blocks_.end()) return "";
  std::string id = std::move(it->second);
  blocks_.erase(it);
  return id;
}

void AppServerProtocol::SetParent(absl::string_view thread_id,
                                  Emitter& out) const {
  if (IsOurs(thread_id)) return;
  const auto it = agents_.find(std::string(thread_id));
  if (it != agents_.end()) out.set_parent_tool_use_id(it->second);
}

void AppServerProtocol::OnItem(absl::string_view event, const Params& params,
                               Emitter& out) {
  Item item = ReadAppItem(params.item, drift());
  const bool completed = event == "item.completed";
  if (ItemReader::IsTool(item.type)) {
    return OnTool(event, params, item, out);
  }
  if (item.type == "userMessage") {
    if (!completed) OnUserMessage(item, out);
  } else if (IsText(item.type)) {
    if (!completed) return;
    if (IsOurs(params.thread_id)) items_.set_last_text(item.text);
    out.Emit(Text{.text = std::string(item.text)},
             TakeBlock(BlockKey(params, item.id)));
  } else if (item.type == "reasoning") {
    if (!completed) return;
    std::string text = Joined(item.summary);
    if (text.empty()) text = Joined(item.content);
    const std::string block = TakeBlock(BlockKey(params, item.id));
    if (text.empty() && block.empty()) return;
    out.Emit(Thinking{.text = std::move(text)}, block);
  } else if (item.type == "contextCompaction") {
    if (!completed) return;
    out.Emit(Notice{.kind = Notice::Kind::kCompaction,
                    .text = "the context was compacted"});
  } else {
    if (!IsRaw(item.type)) {
      ReportUnknown(absl::StrCat(event, " item"), item.type);
    }
    out.EmitRaw(absl::StrCat(event, "/", item.type));
  }
}

void AppServerProtocol::OnTool(absl::string_view event, const Params& params,
                               Item item, Emitter& out) {
  const std::string key = ToolKey(params.thread_id, item.id);
  item.id = key;
  items_.OnTool(event, item, out);
  if (!ledger().IsRunning(key)) {
    tools_.erase(key);
    return;
  }
  tools_.erase(key);
  if (tools_.size() >= kMaxTools || tool_bytes() >= kMaxToolBytes) return;
  std::string diff = DiffToKeep(item.changes);
  OpenTool& tool = tools_[key];
  tool.asked = {.tool_use_id = ledger().ToolId(key),
                .tool_name = ToolUseOf(item).name,
                .server = std::string(item.server),
                .command = std::string(item.command),
                .cwd = std::string(item.cwd),
                .diff = std::move(diff),
                .paths = ChangedPaths(item.changes)};
  tool.is_command = item.type == "command_execution";
  tool.spawns_agent = item.tool == "spawn_agent";
}

size_t AppServerProtocol::tool_bytes() const {
  size_t bytes = 0;
  for (const auto& [key, tool] : tools_) {
    bytes += key.size() + tool.asked.command.size() + tool.asked.diff.size();
    for (const std::string& path : tool.asked.paths) bytes += path.size();
  }
  return bytes;
}

std::string AppServerProtocol::DiffToKeep(json::Value changes) const {
  std::string diff = UnifiedDiff(changes, drift());
  if (tool_bytes() + diff.size() <= kMaxToolBytes) return diff;
  return absl::StrCat("(not shown: what is proposed at once has over ",
                      kMaxToolBytes >> 20, " MiB)");
}

void AppServerProtocol::OnUserMessage(const Item& item, Emitter& out) {
  UserInput input;
  for (const json::Value part : item.content.items()) {
    const absl::string_view type = part.Get("type").StringOr("");
    if (type == "text") {
      absl::StrAppend(&input.text, input.text.empty() ? "" : "\n",
                      part.Get("text").StringOr(""));
    } else if (type == "image" || type == "localImage") {
      ++input.images;
    }
  }
  const auto echo =
      std::find(written_.begin(), written_.end(),
                XXH3_64bits(input.text.data(), input.text.size()));
  if (echo != written_.end()) {
    written_.erase(echo);
    return;
  }
  out.Emit(std::move(input));
}

bool AppServerProtocol::OnDelta(absl::string_view method, const Params& params,
                                Emitter& out) {
  const bool text =
      method == "item/agentMessage/delta" || method == "item/plan/delta";
  const bool part = method == "item/reasoning/summaryPartAdded";
  const bool thinking = method == "item/reasoning/summaryTextDelta" ||
                        method == "item/reasoning/textDelta";
  if (text || part || thinking) {
    const std::string key = BlockKey(params, params.item_id);
    // Parts are joined by line breaks in the whole text.
    if (part && (params.summary_index.value_or(0) == 0 ||
                 blocks_.find(key) == blocks_.end())) {
      return true;
    }
    std::string& block = blocks_[key];
    if (block.empty()) {
      block = absl::StrCat("b", EventIdText(out.NextId()));
    }
    if (text) {
      out.Emit(TextDelta{.text = std::string(params.delta)}, block);
    } else {
      out.Emit(ThinkingDelta{.text = part ? "\n" : std::string(params.delta)},
               block);
    }
    return true;
  }
  if (method == "item/commandExecution/outputDelta") {
    const std::string key = ToolKey(params.thread_id, params.item_id);
    if (!ledger().IsRunning(key)) return true;
    out.Emit(ToolOutputDelta{.tool_use_id = ledger().ToolId(key),
                             .text = std::string(params.delta)});
    return true;
  }
  if (method == "item/fileChange/patchUpdated") {
    const auto tool = tools_.find(ToolKey(params.thread_id, params.item_id));
    if (tool != tools_.end()) {
      tool->second.asked.diff.clear();
      tool->second.asked.diff = DiffToKeep(params.changes);
      tool->second.asked.paths = ChangedPaths(params.changes);
    }
    return true;
  }
  return false;
}

}  // namespace troika::codex
