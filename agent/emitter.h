// Numbers the messages of one record and passes them to a sink.
#ifndef TROIKA_AGENT_EMITTER_H_
#define TROIKA_AGENT_EMITTER_H_

#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "agent/message.h"
#include "agent/protocol.h"

namespace troika {

class Emitter {
 public:
  // Fields of the message that are not part of its payload.
  struct Context {
    absl::string_view parent_tool_use_id;
    absl::string_view block_id;
  };

  // Borrows both arguments.
  Emitter(const Record& record, MessageSink sink)
      : record_(record), sink_(sink) {}

  template <typename P>
  void Emit(P&& payload, const Context& context = {}) {
    const EventId id = NextId();
    ++index_;
    sink_({.id = id,
           .time = record_.time,
           .parent_tool_use_id = std::string(context.parent_tool_use_id),
           .block_id = std::string(context.block_id),
           .payload = std::forward<P>(payload)});
  }

  // Emits the whole line as Raw, with its offset and size.
  void EmitRaw(absl::string_view type, absl::string_view reason = "",
               const Context& context = {}) {
    const bool fits = record_.size <= kMaxLineBytes;
    Emit(Raw{.type = std::string(type),
             .line = fits ? std::string(record_.bytes) : "",
             .reason = std::string(reason),
             .offset = record_.offset,
             .size = record_.size},
         context);
  }

  EventId NextId() const { return {record_.number, index_}; }
  const Record& record() const { return record_; }

 private:
  const Record& record_;
  MessageSink sink_;
  int32_t index_ = 0;
};

}  // namespace troika

#endif  // TROIKA_AGENT_EMITTER_H_
