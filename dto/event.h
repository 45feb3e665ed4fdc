// Events as messages of dto/troika.proto: the same fields as in JSON.
#ifndef TROIKA_DTO_EVENT_H_
#define TROIKA_DTO_EVENT_H_

#include <cstddef>

#include "absl/strings/string_view.h"
#include "agent/message.h"
#include "dto/troika.pb.h"

namespace troika {

// Texts over `max_text` bytes are cut as AppendEventJson (dto/json.h) does it.
v1::Event ToEvent(const Message& message, absl::string_view task_id,
                  size_t max_text = absl::string_view::npos);

}  // namespace troika

#endif  // TROIKA_DTO_EVENT_H_
