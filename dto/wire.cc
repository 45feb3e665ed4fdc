#include "dto/wire.h"

#include <bit>
#include <optional>

#include "google/protobuf/io/coded_stream.h"

namespace troika {
namespace {

using ::google::protobuf::io::CodedOutputStream;

// Field numbers of google.protobuf.Value and of what it is made of.
enum ValueField {
  kNullValue = 1,
  kNumberValue = 2,
  kStringValue = 3,
  kBoolValue = 4,
  kStructValue = 5,
  kListValue = 6,
};
constexpr int kStructFields = 1;
constexpr int kEntryKey = 1;
constexpr int kEntryValue = 2;
constexpr int kListValues = 1;

}  // namespace

void WireWriter::RawVarint(uint64_t value) {
  uint8_t bytes[10];
  const uint8_t* end = CodedOutputStream::WriteVarint64ToArray(value, bytes);
  out_.append(reinterpret_cast<const char*>(bytes), end - bytes);
}

void WireWriter::Tag(int number, Type type) {
  RawVarint(static_cast<uint64_t>(number) << 3 | static_cast<uint64_t>(type));
}

void WireWriter::Varint(int number, uint64_t value) {
  Tag(number, Type::kVarint);
  RawVarint(value);
}

void WireWriter::Fixed64(int number, uint64_t value) {
  Tag(number, Type::kFixed64);
  uint8_t bytes[8];
  CodedOutputStream::WriteLittleEndian64ToArray(value, bytes);
  out_.append(reinterpret_cast<const char*>(bytes), sizeof(bytes));
}

void WireWriter::String(int number, absl::string_view value) {
  if (!json::IsValidUtf8(value)) {
    String(number, json::ToValidUtf8(value));
    return;
  }
  Tag(number, Type::kDelimited);
  RawVarint(value.size());
  out_.append(value.data(), value.size());
}

size_t WireWriter::BeginMessage(int number) {
  Tag(number, Type::kDelimited);
  // Most lengths need one byte; EndMessage makes room for more.
  out_.push_back(0);
  return out_.size();
}

void WireWriter::EndMessage(size_t begin) {
  uint8_t bytes[10];
  const uint8_t* end =
      CodedOutputStream::WriteVarint64ToArray(out_.size() - begin, bytes);
  out_.replace(begin - 1, 1, reinterpret_cast<const char*>(bytes), end - bytes);
}

void WireWriter::Json(int number, json::Value value, int depth) {
  Message(number, [&] { JsonBody(value, depth); });
}

void WireWriter::JsonString(int number, absl::string_view value) {
  Message(number, [&] { String(kStringValue, value); });
}

void WireWriter::JsonBody(json::Value value, int depth) {
  const bool too_deep = depth >= kMaxWireJsonDepth;
  if (value.IsString()) {
    String(kStringValue, value.StringOr(""));
  } else if (const std::optional<double> number = value.Double()) {
    Fixed64(kNumberValue, std::bit_cast<uint64_t>(*number));
  } else if (const std::optional<bool> boolean = value.Bool()) {
    Varint(kBoolValue, *boolean);
  } else if (value.IsObject() && !too_deep) {
    Message(kStructValue, [&] {
      // Of keys that come twice, readers of maps keep the last, as readers of
      // JSON do.
      for (const json::Member& member : value.members()) {
        Message(kStructFields, [&] {
          String(kEntryKey, member.key);
          Json(kEntryValue, member.value, depth + 1);
        });
      }
    });
  } else if (value.IsArray() && !too_deep) {
    Message(kListValue, [&] {
      for (const json::Value item : value.items()) {
        Json(kListValues, item, depth + 1);
      }
    });
  } else if (value.IsNull() || !value.exists()) {
    Varint(kNullValue, 0);
  } else {
    // Too deep, or a number that no double holds.
    String(kStringValue, value.ToJson());
  }
}

}  // namespace troika
