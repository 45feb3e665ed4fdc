#include "agent/claude/stream_blocks.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace troika::claude {

StreamBlocks::Message* StreamBlocks::Find(absl::string_view parent) {
  for (Message& message : messages_) {
    if (message.parent == parent) return &message;
  }
  return nullptr;
}

StreamBlocks::Message& StreamBlocks::FindOrAdd(absl::string_view parent) {
  if (Message* const message = Find(parent)) return *message;
  if (messages_.size() == kMaxAgents) messages_.erase(messages_.begin());
  messages_.push_back({.parent = std::string(parent), .id = "", .blocks = {}});
  return messages_.back();
}

void StreamBlocks::StartMessage(absl::string_view parent,
                                absl::string_view message_id) {
  Message& message = FindOrAdd(parent);
  message.id = std::string(message_id);
  message.blocks.clear();
}

absl::string_view StreamBlocks::StartBlock(const Position& position) {
  Message& message = FindOrAdd(position.parent);
  std::vector<Open>& blocks = message.blocks;
  if (blocks.size() == kMaxBlocks) blocks.erase(blocks.begin());
  blocks.push_back({.index = position.index,
                    .kind = position.kind,
                    .id = absl::StrCat(message.id, ".", position.index, "@",
                                       position.record)});
  return blocks.back().id;
}

absl::string_view StreamBlocks::DeltaBlock(const Position& position) {
  if (const Message* const message = Find(position.parent)) {
    for (auto it = message->blocks.rbegin(); it != message->blocks.rend();
         ++it) {
      if (it->index == position.index && it->kind == position.kind)
        return it->id;
    }
  }
  return StartBlock(position);
}

std::string StreamBlocks::TakeBlock(absl::string_view parent,
                                    absl::string_view message_id, Kind kind) {
  Message* const message = Find(parent);
  // We may have missed the start of the message; then it has no id.
  if (!message || (!message->id.empty() && message->id != message_id)) {
    return "";
  }
  for (auto it = message->blocks.begin(); it != message->blocks.end(); ++it) {
    if (it->kind != kind) continue;
    std::string id = std::move(it->id);
    message->blocks.erase(it);
    return id;
  }
  return "";
}

}  // namespace troika::claude
