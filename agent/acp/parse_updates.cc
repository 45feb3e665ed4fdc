// Handles session/update.

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/acp/content.h"
#include "agent/acp/parse.h"
#include "agent/tool_names.h"

namespace troika::acp {
namespace {

constexpr absl::string_view kQuietUpdates[] = {
    "available_commands_update", "config_option_update", "session_info_update",
    "usage_update"};

bool IsQuiet(absl::string_view type) {
  for (const absl::string_view quiet : kQuietUpdates) {
    if (quiet == type) return true;
  }
  return false;
}

Notice NoticeOf(const NoticeUpdate& update) {
  const bool error = update.severity == "error";
  return {.kind = error ? Notice::Kind::kError : Notice::Kind::kInfo,
          .text = update.description.empty()
                      ? std::string(update.title)
                      : absl::StrCat(update.title, ": ", update.description)};
}

}  // namespace

void AcpProtocol::OnUpdate(const UpdateParams& params, Emitter& out) {
  const json::Value update = params.update;
  const absl::string_view type = update.Get("sessionUpdate").StringOr("");
  if (loading_ || IsQuiet(type)) return;
  if (!params.session_id.empty() && !session_id().empty() &&
      params.session_id != session_id()) {
    return out.EmitRaw(absl::StrCat("session/update/", type),
                       "of another session");
  }
  if (type == "agent_message_chunk") return OnChunk(Block::kText, update, out);
  if (type == "agent_thought_chunk") {
    return OnChunk(Block::kThinking, update, out);
  }
  EndBlock(out);
  if (type == "user_message_chunk") {
    OnUserChunk(update, out);
  } else if (type == "tool_call" || type == "tool_call_update") {
    OnToolCall(type, update, out);
  } else if (type == "plan") {
    OnPlan(update, out);
  } else if (type == "current_mode_update") {
    const auto mode = Read<ModeUpdate>(update, Scope("current_mode_update"));
    out.Emit(Notice{.text = absl::StrCat("mode ", mode.mode)});
  } else if (type == "notice") {
    out.Emit(NoticeOf(Read<NoticeUpdate>(update, Scope("notice"))));
  } else if (type == "compaction_update") {
    const auto compaction =
        Read<CompactionUpdate>(update, Scope("compaction_update"));
    out.Emit(Notice{.kind = Notice::Kind::kCompaction,
                    .text = absl::StrCat("compaction ", compaction.status)});
  } else {
    ReportUnknown("session/update", type);
    out.EmitRaw(absl::StrCat("session/update/", type));
  }
}

void AcpProtocol::OnChunk(Block kind, json::Value update, Emitter& out) {
  const auto chunk = Read<Chunk>(update, Scope("chunk"));
  const std::optional<absl::string_view> text = TextOf(chunk.content);
  if (!text) {
    EndBlock(out);
    const absl::string_view type = chunk.content.Get("type").StringOr("");
    return out.EmitRaw(absl::StrCat("content/", type), "not a text");
  }
  if (ledger().turn_open()) return AddFragment(kind, *text, out);
  // Between turns nothing is an answer. Gemini CLI says its mode so:
  // "[MODE_UPDATE] yolo".
  out.Emit(Notice{.text = std::string(*text)});
}

void AcpProtocol::OnToolCall(absl::string_view type, json::Value update,
                             Emitter& out) {
  const auto call = Read<ToolCall>(update, Scope(type));
  if (!ledger().turn_open()) {
    out.EmitRaw(absl::StrCat("session/update/", type), "no turn is open");
  } else if (type == "tool_call") {
    calls_.OnCall(call, out);
  } else {
    calls_.OnUpdate(call, out);
  }
}

void AcpProtocol::OnUserChunk(json::Value update, Emitter& out) {
  const auto chunk = Read<Chunk>(update, Scope("chunk"));
  const std::optional<absl::string_view> text = TextOf(chunk.content);
  if (!text) {
    return out.EmitRaw("session/update/user_message_chunk", "not a text");
  }
  // The prompt was emitted when it was written.
  if (*text == prompt_) return;
  out.Emit(UserInput{.text = std::string(*text)});
}

void AcpProtocol::OnPlan(json::Value update, Emitter& out) {
  const auto plan = Read<PlanUpdate>(update, Scope("plan"));
  Todo todo;
  for (const json::Value item : plan.entries.items()) {
    const auto entry = Read<PlanEntry>(item, Scope("plan.entries[]"));
    const std::optional<Todo::Status> status = TodoStatus(entry.status);
    if (!status) ReportUnknown("plan.entries[].status", entry.status);
    todo.items.push_back({.text = std::string(entry.content),
                          .status = status.value_or(Todo::Status::kPending)});
  }
  out.Emit(std::move(todo));
}

void AcpProtocol::AddFragment(Block kind, absl::string_view text,
                              Emitter& out) {
  if (kind != block_ || text_.size() + text.size() > kMaxTextBytes) {
    EndBlock(out);
  }
  if (block_ == Block::kNone) {
    block_ = kind;
    block_id_ = absl::StrCat(kind == Block::kText ? "text-" : "thought-",
                             out.record().number);
  }
  absl::StrAppend(&text_, text);
  if (kind == Block::kText) {
    out.Emit(TextDelta{std::string(text)}, block_id_);
  } else {
    out.Emit(ThinkingDelta{std::string(text)}, block_id_);
  }
}

void AcpProtocol::EndBlock(Emitter& out) {
  const Block block = std::exchange(block_, Block::kNone);
  if (block == Block::kText) {
    last_text_ = text_;
    out.Emit(Text{std::exchange(text_, {})}, block_id_);
  } else if (block == Block::kThinking) {
    out.Emit(Thinking{std::exchange(text_, {})}, block_id_);
  }
}

}  // namespace troika::acp
