// Numbers the messages of one record and passes them to a sink.
#ifndef TROIKA_AGENT_EMITTER_H_
#define TROIKA_AGENT_EMITTER_H_

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/message.h"
#include "agent/protocol.h"

namespace troika {

class Emitter {
 public:
  // Borrows both arguments.
  Emitter(const Record& record, MessageSink sink)
      : record_(record), sink_(sink) {}

  // Gives the following messages this time instead of the record's.
  void set_time(absl::Time time) { time_ = time; }

  // Makes the following messages those of the subagent that this tool use
  // started.
  void set_parent_tool_use_id(std::string id) { parent_ = std::move(id); }
  const std::string& parent_tool_use_id() const { return parent_; }

  template <typename P>
  void Emit(P&& payload, absl::string_view block_id = "") {
    EmitFor(parent_, std::forward<P>(payload), block_id);
  }
  template <typename P>
  void EmitFor(absl::string_view parent_tool_use_id, P&& payload,
               absl::string_view block_id = "") {
    const EventId id = NextId();
    ++index_;
    sink_({.id = id,
           .time = time_ ? time_ : record_.time,
           .parent_tool_use_id = std::string(parent_tool_use_id),
           .block_id = std::string(block_id),
           .payload = std::forward<P>(payload)});
  }

  // Emits the whole line as Raw, with its offset and size; at most once,
  // however much of it is unknown, so that the output stays linear in the
  // input.
  void EmitRaw(absl::string_view type, absl::string_view reason = "") {
    if (std::exchange(is_raw_, true)) return;
    const bool fits = record_.size <= kMaxLineBytes;
    Emit(Raw{.type = std::string(type),
             .line = fits ? std::string(record_.bytes) : "",
             .reason = std::string(reason),
             .offset = record_.offset,
             .size = record_.size});
  }

  EventId NextId() const { return {record_.number, index_}; }
  const Record& record() const { return record_; }
  // Whether the record has given no message yet.
  bool empty() const { return index_ == 0; }

 private:
  const Record& record_;
  MessageSink sink_;
  int32_t index_ = 0;
  std::optional<absl::Time> time_;
  std::string parent_;
  bool is_raw_ = false;
};

}  // namespace troika

#endif  // TROIKA_AGENT_EMITTER_H_
