// Names the blocks of messages that arrive in parts, so that the deltas of a
// block and the message that completes it share an id.
//
// An id consists of the API's message id, the block's index and the record that
// opened the block, so it stays unique even if a message id or an index is
// repeated. Blocks that are not completed are dropped at the next message of
// the same agent, so memory is bounded for any input.
#ifndef TROIKA_AGENT_CLAUDE_STREAM_BLOCKS_H_
#define TROIKA_AGENT_CLAUDE_STREAM_BLOCKS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace troika::claude {

class StreamBlocks {
 public:
  enum class Kind { kText, kThinking };

  struct Position {
    absl::string_view parent;  // Tool use of the subagent, if it is one.
    int64_t index = 0;
    Kind kind = Kind::kText;
    int64_t record = 0;  // Number of the current record.
  };

  void StartMessage(absl::string_view parent, absl::string_view message_id);
  // Returned ids are valid until the next call.
  absl::string_view StartBlock(const Position& position);
  // Returns the id of an open block; opens it if its start was missed.
  absl::string_view DeltaBlock(const Position& position);
  // Closes the oldest open block of this message and kind and returns its id,
  // or an empty string if there is none.
  std::string TakeBlock(absl::string_view parent, absl::string_view message_id,
                        Kind kind);

 private:
  static constexpr size_t kMaxAgents = 64;
  static constexpr size_t kMaxBlocks = 64;

  struct Open {
    int64_t index;
    Kind kind;
    std::string id;
  };
  // The current message of an agent.
  struct Message {
    std::string parent;
    std::string id;
    std::vector<Open> blocks;
  };

  Message* /*nullable*/ Find(absl::string_view parent);
  Message& FindOrAdd(absl::string_view parent);

  std::vector<Message> messages_;  // The agent known longest comes first.
};

}  // namespace troika::claude

#endif  // TROIKA_AGENT_CLAUDE_STREAM_BLOCKS_H_
