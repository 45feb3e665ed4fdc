// Events as JSON, in protobuf's mapping of dto/troika.proto.
//
// The bytes are those of protobuf's own writer with
// always_print_primitive_fields, but written straight from the message: no DTO
// in between, no reflection.
//
//   std::string line;
//   AppendEventJson(message, task_id, &line);
//   // {"id":"3.1","taskId":"t","text":{"text":"hello"}}
#ifndef TROIKA_DTO_JSON_H_
#define TROIKA_DTO_JSON_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/message.h"
#include "base/json.h"
#include "dto/redact.h"

namespace troika {

// Appends one line, without its end. Reuse `out`, and it costs no allocation.
void AppendEventJson(const Message& message, absl::string_view task_id,
                     std::string* out);

struct EventJsonOptions {
  // Limit of a payload's string or JSON value, in bytes. Longer ones are cut at
  // the end of a character (JSON becomes a string of its beginning), and the
  // event's `cut` names them.
  size_t max_text = absl::string_view::npos;
  // Takes the secrets out, before the texts are cut. May be null.
  const Redactor* redactor = nullptr;
};

void AppendEventJson(const Message& message, absl::string_view task_id,
                     const EventJsonOptions& options, std::string* out);

struct EventSize {
  // About the bytes of its JSON if texts are cut after `max_text` bytes. The
  // same message has the same size for ever: it depends on nothing else.
  int64_t bytes = 0;
  // Whether a text is longer, so that AppendEventJson would cut it.
  bool cut = false;
};

// The size of an event, without encoding it.
EventSize MeasureEvent(const Message& message, size_t max_text);

// The inverse of AppendEventJson, for clients. Fields that are missing or of
// another type keep their default. A payload or an enum's value that we don't
// know, as of a newer server, gives a Raw whose line is the event's JSON and
// whose type is the payload's name. Texts that were cut stay cut.
// InvalidArgument if `event` is no object.
absl::StatusOr<Message> ReadEvent(json::Value event);

}  // namespace troika

#endif  // TROIKA_DTO_JSON_H_
