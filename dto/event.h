// Events as protobuf: the same fields as in JSON, by dto/describe.h.
#ifndef TROIKA_DTO_EVENT_H_
#define TROIKA_DTO_EVENT_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "agent/message.h"
#include "dto/troika.pb.h"

namespace troika {

// A troika.v1.Event in protobuf's binary encoding.
std::string EncodeEvent(const Message& message, absl::string_view task_id);

v1::Event ToEvent(const Message& message, absl::string_view task_id);

// Cut as AppendEventJson (dto/json.h) does it.
std::string EncodeEvent(const Message& message, absl::string_view task_id,
                        size_t max_text);
v1::Event ToEvent(const Message& message, absl::string_view task_id,
                  size_t max_text);

}  // namespace troika

#endif  // TROIKA_DTO_EVENT_H_
