// Messages of dto/troika.proto as requests and answers carry them: JSON in
// protobuf's mapping, binary, and query strings.
//
//   v1::CreateTaskRequest request;
//   RETURN_IF_ERROR(FromJson(body, &request));
//   ...
//   return ToJson(task);
//
// Input comes from strangers: any bytes give a message or an error.
#ifndef TROIKA_DTO_PROTO_JSON_H_
#define TROIKA_DTO_PROTO_JSON_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/message.h"

namespace troika {

// JSON may be nested this deep in a message: each level of a protobuf Value is
// three of messages, and protobuf reads no more than 100.
inline constexpr int kMaxMessageDepth = 30;

// One line. Fields at their default are printed too, but for optional ones
// and messages that are not set. Strings must be UTF-8.
std::string ToJson(const google::protobuf::Message& message);

// How to treat fields and enum values that the .proto does not have.
enum class UnknownFields {
  kRefuse,  // For requests: a caller must know if he was not understood.
  // For replies, which may come from a newer server. Such enums get their first
  // value.
  kIgnore,
};

// Replaces `out`, which is unspecified after an error. InvalidArgument names
// the field if it can; ResourceExhausted if `json` is over 16 MiB.
absl::Status FromJson(absl::string_view json, google::protobuf::Message* out,
                      UnknownFields unknown = UnknownFields::kRefuse);
absl::Status FromBinary(absl::string_view bytes, google::protobuf::Message* out,
                        UnknownFields unknown = UnknownFields::kRefuse);

// The decoded parameters of a query, by their names of the .proto: strings,
// numbers, enums by name, times (RFC 3339), lists of these as a parameter given
// several times, and labels=key=value. InvalidArgument says which there are.
absl::Status FromQuery(
    const std::vector<std::pair<std::string, std::string>>& parameters,
    google::protobuf::Message* out);

}  // namespace troika

#endif  // TROIKA_DTO_PROTO_JSON_H_
