// Collects the messages of one line.
#ifndef TROIKA_AGENT_CLAUDE_LINE_OUT_H_
#define TROIKA_AGENT_CLAUDE_LINE_OUT_H_

#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "agent/emitter.h"

namespace troika::claude {

class LineOut {
 public:
  // `parent_tool_use_id` is our id, not the wire's.
  explicit LineOut(Emitter& out, std::string parent_tool_use_id = "")
      : out_(out), parent_tool_use_id_(std::move(parent_tool_use_id)) {}

  template <typename P>
  void Emit(P&& payload, absl::string_view block_id = "") {
    out_.Emit(std::forward<P>(payload), context(block_id));
  }

  // A line is emitted as Raw at most once, however much of it is unknown, so
  // that the output stays linear in the input.
  void EmitRaw(absl::string_view type, absl::string_view reason = "") {
    if (!raw_) out_.EmitRaw(type, reason, context());
    raw_ = true;
  }

  Emitter::Context context(absl::string_view block_id = "") const {
    return {.parent_tool_use_id = parent_tool_use_id_, .block_id = block_id};
  }
  Emitter& emitter() { return out_; }
  // Whether the line has given no message yet.
  bool empty() const { return out_.NextId().index == 0; }

 private:
  Emitter& out_;
  const std::string parent_tool_use_id_;
  bool raw_ = false;
};

}  // namespace troika::claude

#endif  // TROIKA_AGENT_CLAUDE_LINE_OUT_H_
