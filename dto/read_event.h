// Events back from JSON, for clients: the inverse of dto/json.h.
//
//   ASSIGN_OR_RETURN(const json::Value value, parser.Parse(line));
//   ASSIGN_OR_RETURN(const Message message, ReadEvent(value));
#ifndef TROIKA_DTO_READ_EVENT_H_
#define TROIKA_DTO_READ_EVENT_H_

#include "absl/status/statusor.h"
#include "agent/message.h"
#include "base/json.h"

namespace troika {

// Fields that are missing or of another type keep their default. A payload or
// an enum's value that we don't know, as of a newer server, gives a Raw whose
// line is the event's JSON and whose type is the payload's name. What was cut
// stays cut. InvalidArgument where `event` is no object.
absl::StatusOr<Message> ReadEvent(json::Value event);

}  // namespace troika

#endif  // TROIKA_DTO_READ_EVENT_H_
