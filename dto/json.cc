#include "dto/json.h"

#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/time/time.h"
#include "base/json.h"
#include "dto/cut.h"
#include "dto/describe.h"
#include "dto/scalars.h"
#include "dto/time.h"

namespace troika {
namespace {

class JsonSink {
 public:
  explicit JsonSink(std::string* out) : out_(*out) {}

  void String(int, absl::string_view name, absl::string_view value) {
    Name(name);
    json::AppendQuoted(value, &out_);
  }
  void Bool(int, absl::string_view name, bool value) {
    Name(name);
    out_.append(value ? "true" : "false");
  }
  void Int32(int, absl::string_view name, int32_t value) {
    Name(name);
    AppendInt(value, &out_);
  }
  void SetInt32(int number, absl::string_view name, int32_t value) {
    Int32(number, name, value);
  }
  void Int64(int, absl::string_view name, int64_t value) {
    Name(name);
    out_.push_back('"');
    AppendInt(value, &out_);
    out_.push_back('"');
  }
  void Double(int, absl::string_view name, double value) {
    Name(name);
    AppendDouble(value, &out_);
  }
  void SetDouble(int number, absl::string_view name, double value) {
    Double(number, name, value);
  }
  void Enum(int, absl::string_view name, int, absl::string_view spelling) {
    Name(name);
    Quoted(spelling, 0);
  }
  void Time(int, absl::string_view name, absl::Time value) {
    Name(name);
    out_.push_back('"');
    AppendTime(value, &out_);
    out_.push_back('"');
  }
  void Duration(int, absl::string_view name, absl::Duration value) {
    Name(name);
    out_.push_back('"');
    AppendDuration(value, &out_);
    out_.push_back('"');
  }
  void Json(int, absl::string_view name, absl::string_view json) {
    Name(name);
    AppendJsonOnOneLine(json, &out_);
  }
  void Strings(int, absl::string_view name,
               const std::vector<std::string>& values) {
    Name(name);
    Open('[');
    for (const std::string& value : values) {
      Comma();
      json::AppendQuoted(value, &out_);
    }
    Close(']');
  }
  template <typename Body>
  void Message(int, absl::string_view name, const Body& body) {
    Name(name);
    Object(body);
  }
  template <typename Body>
  void SetMessage(int number, absl::string_view name, const Body& body) {
    Message(number, name, body);
  }
  template <typename Items, typename Body>
  void Messages(int, absl::string_view name, const Items& items,
                const Body& body) {
    Name(name);
    Open('[');
    for (const auto& item : items) {
      Comma();
      Object([&] { body(item); });
    }
    Close(']');
  }
  template <typename Body>
  void Object(const Body& body) {
    Open('{');
    body();
    Close('}');
  }

 private:
  void Open(char bracket) {
    out_.push_back(bracket);
    first_ = true;
  }
  void Close(char bracket) {
    out_.push_back(bracket);
    first_ = false;
  }
  void Comma() {
    if (!first_) out_.push_back(',');
    first_ = false;
  }
  // Of what needs no escape. It grows the string once and is inlined, so that
  // names are constants to it: most of a small event is names.
  ABSL_ATTRIBUTE_ALWAYS_INLINE char* Quoted(absl::string_view text,
                                            size_t room) {
    const size_t before = out_.size();
    out_.resize(before + text.size() + 2 + room);
    char* to = out_.data() + before;
    *to++ = '"';
    std::memcpy(to, text.data(), text.size());
    to += text.size();
    *to++ = '"';
    return to;
  }
  ABSL_ATTRIBUTE_ALWAYS_INLINE void Name(absl::string_view name) {
    Comma();
    *Quoted(name, 1) = ':';
  }

  std::string& out_;
  bool first_ = true;  // Nothing stands yet after the last bracket.
};

}  // namespace

void AppendEventJson(const Message& message, absl::string_view task_id,
                     std::string* out) {
  JsonSink sink(out);
  sink.Object([&] { DescribeEvent(message, task_id, sink); });
}

void AppendEventJson(const Message& message, absl::string_view task_id,
                     const EventJsonOptions& options, std::string* out) {
  JsonSink sink(out);
  sink.Object(
      [&] { DescribeCutEvent(message, task_id, options.max_text, sink); });
}

}  // namespace troika
