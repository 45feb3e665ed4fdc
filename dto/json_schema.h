// JSON Schemas of protobuf messages, as OpenAPI 3.1 has them in its components.
//
//   JsonSchemas({v1::InterruptRequest::descriptor()})
//       // {"InterruptRequest":{"type":"object","properties":{"reason":{...}}}}
#ifndef TROIKA_DTO_JSON_SCHEMA_H_
#define TROIKA_DTO_JSON_SCHEMA_H_

#include <string>

#include "absl/types/span.h"
#include "google/protobuf/descriptor.h"

namespace troika {

// The name of a message's schema: its own within its package, as "Task" or
// "Todo.Item".
std::string SchemaName(const google::protobuf::Descriptor& type);

// A JSON object of the schemas, by name, of these and of all messages that they
// hold. They say what protobuf's JSON mapping writes: int64 is a string, an
// enum its name, a Timestamp and a Duration strings, a Value anything. Nothing
// is required, and of a oneof's members at most one is there.
std::string JsonSchemas(
    absl::Span<const google::protobuf::Descriptor* const> roots);

}  // namespace troika

#endif  // TROIKA_DTO_JSON_SCHEMA_H_
