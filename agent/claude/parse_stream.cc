// Handles the API's own events, which come with partial messages.

#include "agent/claude/content.h"
#include "agent/claude/parse.h"

namespace troika::claude {

void ClaudeProtocol::OnStreamEvent(json::Value line, Emitter& out) {
  const auto wire = Read<StreamLine>(line, Scope("stream_event"));
  const auto event = Read<StreamEvent>(wire.event, Scope("stream_event.event"));
  const absl::string_view parent = wire.parent_tool_use_id;
  SetParent(parent, out);
  if (event.type == "content_block_delta") {
    OnBlockDelta(event, parent, out);
  } else if (event.type == "content_block_start") {
    OnBlockStart(event, parent, out);
  } else if (event.type == "message_start") {
    const auto message =
        Read<ApiMessage>(event.message, Scope("stream_event.event.message"));
    if (parent.empty()) ledger().StartTurn();
    blocks_.StartMessage(parent, message.id);
    CheckUsage(message.usage);
  } else if (event.type == "message_delta") {
    CheckUsage(event.usage);
    (void)Read<Delta>(event.delta, Scope("stream_event.event.delta"));
  } else if (event.type == "error") {
    out.Emit(Notice{.kind = Notice::Kind::kError,
                    .text = std::string(ErrorText(
                        event.error, Scope("stream_event.event.error")))});
  } else if (event.type != "content_block_stop" &&
             event.type != "message_stop" && event.type != "ping") {
    OnUnknown("stream_event", event.type, out);
  }
}

void ClaudeProtocol::OnBlockStart(const StreamEvent& event,
                                  absl::string_view parent, Emitter& out) {
  const auto block = Read<Block>(event.content_block,
                                 Scope("stream_event.event.content_block"));
  StreamBlocks::Position position = {.parent = parent,
                                     .index = event.index.value_or(0),
                                     .kind = StreamBlocks::Kind::kText,
                                     .record = out.record().number};
  // Blocks of other types are handled when their whole message comes.
  if (block.type == "text") {
    const absl::string_view id = blocks_.StartBlock(position);
    if (!block.text.empty()) out.Emit(TextDelta{std::string(block.text)}, id);
  } else if (block.type == "thinking") {
    position.kind = StreamBlocks::Kind::kThinking;
    const absl::string_view id = blocks_.StartBlock(position);
    if (!block.thinking.empty()) {
      out.Emit(ThinkingDelta{std::string(block.thinking)}, id);
    }
  }
}

void ClaudeProtocol::OnBlockDelta(const StreamEvent& event,
                                  absl::string_view parent, Emitter& out) {
  const auto delta =
      Read<Delta>(event.delta, Scope("stream_event.event.delta"));
  StreamBlocks::Position position = {.parent = parent,
                                     .index = event.index.value_or(0),
                                     .kind = StreamBlocks::Kind::kText,
                                     .record = out.record().number};
  if (delta.type == "text_delta") {
    out.Emit(TextDelta{std::string(delta.text)}, blocks_.DeltaBlock(position));
  } else if (delta.type == "thinking_delta") {
    position.kind = StreamBlocks::Kind::kThinking;
    out.Emit(ThinkingDelta{std::string(delta.thinking)},
             blocks_.DeltaBlock(position));
  } else if (delta.type != "input_json_delta" &&
             delta.type != "signature_delta" &&
             delta.type != "citations_delta") {
    OnUnknown("stream_event.delta", delta.type, out);
  }
}

// Only reports drift: the turn's tokens come with its result.
void ClaudeProtocol::CheckUsage(json::Value usage) {
  if (drift()) {
    (void)CountsOf(Read<TokenUsage>(usage, Scope("stream_event.event.usage")),
                   drift());
  }
}

}  // namespace troika::claude
