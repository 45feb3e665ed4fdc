// Events as JSON, in protobuf's mapping of dto/troika.proto.
//
// What protobuf's own writer prints with always_print_primitive_fields, but
// written straight from the message: no DTO in between, no reflection.
//
//   std::string line;
//   AppendEventJson(message, task_id, &line);
//   // {"id":"3.1","taskId":"t","text":{"text":"hello"}}
#ifndef TROIKA_DTO_JSON_H_
#define TROIKA_DTO_JSON_H_

#include <string>

#include "absl/strings/string_view.h"
#include "agent/message.h"

namespace troika {

// Appends one line, without its end. Reuse `out`, and it costs no allocation.
void AppendEventJson(const Message& message, absl::string_view task_id,
                     std::string* out);

struct EventJsonOptions {
  // Of a payload's string or JSON value, in bytes. What is longer is cut at the
  // end of a character (JSON becomes a string of its beginning), and the
  // event's `cut` names it.
  size_t max_text = absl::string_view::npos;
};

void AppendEventJson(const Message& message, absl::string_view task_id,
                     const EventJsonOptions& options, std::string* out);

}  // namespace troika

#endif  // TROIKA_DTO_JSON_H_
