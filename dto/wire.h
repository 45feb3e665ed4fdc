// Writes protobuf's wire format, field by field.
#ifndef TROIKA_DTO_WIRE_H_
#define TROIKA_DTO_WIRE_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "base/json.h"

namespace troika {

// JSON that is nested deeper is carried as a string of its text: each level of
// a protobuf Value is three of messages, and readers refuse more than 100.
inline constexpr int kMaxWireJsonDepth = 30;

// Appends to `out`; fields are written whatever their value.
class WireWriter {
 public:
  explicit WireWriter(std::string* out) : out_(*out) {}

  void Varint(int number, uint64_t value);
  void Fixed64(int number, uint64_t value);
  // Bytes that are not UTF-8 become U+FFFD.
  void String(int number, absl::string_view value);
  // A google.protobuf.Value.
  void Json(int number, json::Value value, int depth = 0);
  void JsonString(int number, absl::string_view value);

  template <typename Body>
  void Message(int number, const Body& body) {
    const size_t begin = BeginMessage(number);
    body();
    EndMessage(begin);
  }

 private:
  enum class Type { kVarint = 0, kFixed64 = 1, kDelimited = 2 };

  void Tag(int number, Type type);
  void RawVarint(uint64_t value);
  void JsonBody(json::Value value, int depth);
  // Returns where the message's fields begin.
  size_t BeginMessage(int number);
  void EndMessage(size_t begin);

  std::string& out_;
};

}  // namespace troika

#endif  // TROIKA_DTO_WIRE_H_
