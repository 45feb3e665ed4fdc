#include "dto/event.h"

#include <bit>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/check.h"
#include "base/json.h"
#include "dto/cut.h"
#include "dto/describe.h"
#include "dto/time.h"
#include "dto/wire.h"

namespace troika {
namespace {

// proto3 leaves out what has its default, unless presence was asked for.
class WireSink {
 public:
  explicit WireSink(std::string* out) : wire_(out) {}

  void String(int number, absl::string_view, absl::string_view value) {
    if (!value.empty()) wire_.String(number, value);
  }
  void Bool(int number, absl::string_view, bool value) {
    if (value) wire_.Varint(number, 1);
  }
  void Int32(int number, absl::string_view name, int32_t value) {
    if (value != 0) SetInt32(number, name, value);
  }
  void SetInt32(int number, absl::string_view, int32_t value) {
    wire_.Varint(number, static_cast<uint64_t>(int64_t{value}));
  }
  void Int64(int number, absl::string_view, int64_t value) {
    if (value != 0) wire_.Varint(number, static_cast<uint64_t>(value));
  }
  void Double(int number, absl::string_view name, double value) {
    if (std::bit_cast<uint64_t>(value) != 0) SetDouble(number, name, value);
  }
  void SetDouble(int number, absl::string_view, double value) {
    wire_.Fixed64(number, std::bit_cast<uint64_t>(value));
  }
  void Enum(int number, absl::string_view name, int value, absl::string_view) {
    Int32(number, name, value);
  }
  void Time(int number, absl::string_view, absl::Time value) {
    Split(number, SplitTime(value));
  }
  void Duration(int number, absl::string_view, absl::Duration value) {
    Split(number, SplitDuration(value));
  }
  void Json(int number, absl::string_view, absl::string_view json) {
    json::Parser parser;
    const absl::StatusOr<json::Value> value = parser.Parse(json);
    if (value.ok()) {
      wire_.Json(number, *value);
    } else {
      wire_.JsonString(number, json);
    }
  }
  void Strings(int number, absl::string_view,
               const std::vector<std::string>& values) {
    for (const std::string& value : values) wire_.String(number, value);
  }
  template <typename Body>
  void Message(int number, absl::string_view, const Body& body) {
    wire_.Message(number, body);
  }
  template <typename Body>
  void SetMessage(int number, absl::string_view name, const Body& body) {
    Message(number, name, body);
  }
  template <typename Items, typename Body>
  void Messages(int number, absl::string_view, const Items& items,
                const Body& body) {
    for (const auto& item : items) {
      wire_.Message(number, [&] { body(item); });
    }
  }

 private:
  // A Timestamp or a Duration: they have the same fields.
  void Split(int number, const SecondsAndNanos& value) {
    wire_.Message(number, [&] {
      Int64(1, "seconds", value.seconds);
      Int32(2, "nanos", value.nanos);
    });
  }

  WireWriter wire_;
};

}  // namespace

std::string EncodeEvent(const Message& message, absl::string_view task_id) {
  std::string out;
  WireSink sink(&out);
  DescribeEvent(message, task_id, sink);
  return out;
}

std::string EncodeEvent(const Message& message, absl::string_view task_id,
                        size_t max_text) {
  std::string out;
  WireSink sink(&out);
  DescribeCutEvent(message, task_id, max_text, sink);
  return out;
}

v1::Event ToEvent(const Message& message, absl::string_view task_id) {
  v1::Event event;
  CHECK(event.ParseFromString(EncodeEvent(message, task_id)));
  return event;
}

v1::Event ToEvent(const Message& message, absl::string_view task_id,
                  size_t max_text) {
  v1::Event event;
  CHECK(event.ParseFromString(EncodeEvent(message, task_id, max_text)));
  return event;
}

}  // namespace troika
