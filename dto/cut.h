// Leaves out the ends of long texts of an event, and says so in its `cut`.
#ifndef TROIKA_DTO_CUT_H_
#define TROIKA_DTO_CUT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/base/optimization.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/message.h"
#include "base/json.h"
#include "dto/describe.h"

namespace troika {

// The first bytes of `text`, at most `size`, that end with a whole character.
inline absl::string_view CutAtCharacter(absl::string_view text, size_t size) {
  if (text.size() <= size) return text;
  // At most three bytes follow a character's first; what is longer is no UTF-8.
  for (size_t i = size; i > 0 && i + 3 >= size; --i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) {
      return text.substr(0, i);
    }
  }
  return size < 4 ? absl::string_view() : text.substr(0, size);
}

// Passes an event on to another sink (dto/describe.h), cut.
template <typename Sink>
class CutSink {
 public:
  CutSink(size_t max_text, Sink* sink) : max_text_(max_text), to_(*sink) {}

  // Says what was cut, after all else.
  void Finish() {
    if (ABSL_PREDICT_TRUE(cuts_.empty())) return;
    to_.Messages(6, "cut", cuts_, [&](const Cut& cut) {
      to_.String(1, "field", cut.field);
      to_.Int64(2, "size", cut.size);
    });
  }

  void String(int number, absl::string_view name, absl::string_view value) {
    to_.String(number, name, IsLong(value) ? Begin(name, value) : value);
  }
  void Json(int number, absl::string_view name, absl::string_view json) {
    if (!IsLong(json)) {
      to_.Json(number, name, json);
      return;
    }
    std::string text;
    json::AppendQuoted(Begin(name, json), &text);
    to_.Json(number, name, text);
  }
  void Strings(int number, absl::string_view name,
               const std::vector<std::string>& values) {
    bool any_long = false;
    for (const std::string& value : values) any_long |= IsLong(value);
    if (!any_long) {
      to_.Strings(number, name, values);
      return;
    }
    std::vector<std::string> begun;
    for (const std::string& value : values) {
      begun.emplace_back(IsLong(value) ? Begin(name, value) : value);
    }
    to_.Strings(number, name, begun);
  }
  void Bool(int number, absl::string_view name, bool value) {
    to_.Bool(number, name, value);
  }
  void Int32(int number, absl::string_view name, int32_t value) {
    to_.Int32(number, name, value);
  }
  void SetInt32(int number, absl::string_view name, int32_t value) {
    to_.SetInt32(number, name, value);
  }
  void Int64(int number, absl::string_view name, int64_t value) {
    to_.Int64(number, name, value);
  }
  void Double(int number, absl::string_view name, double value) {
    to_.Double(number, name, value);
  }
  void SetDouble(int number, absl::string_view name, double value) {
    to_.SetDouble(number, name, value);
  }
  void Enum(int number, absl::string_view name, int value,
            absl::string_view spelling) {
    to_.Enum(number, name, value, spelling);
  }
  void Time(int number, absl::string_view name, absl::Time value) {
    to_.Time(number, name, value);
  }
  void Duration(int number, absl::string_view name, absl::Duration value) {
    to_.Duration(number, name, value);
  }
  template <typename Body>
  void Message(int number, absl::string_view name, const Body& body) {
    in_payload_ = true;  // The first one is the payload; its ids come before.
    to_.Message(number, name, body);
  }
  template <typename Body>
  void SetMessage(int number, absl::string_view name, const Body& body) {
    to_.SetMessage(number, name, body);
  }
  template <typename Items, typename Body>
  void Messages(int number, absl::string_view name, const Items& items,
                const Body& body) {
    to_.Messages(number, name, items, body);
  }

 private:
  struct Cut {
    absl::string_view field;
    int64_t size;
  };

  bool IsLong(absl::string_view value) const {
    return ABSL_PREDICT_FALSE(value.size() > max_text_) && in_payload_;
  }
  ABSL_ATTRIBUTE_NOINLINE absl::string_view Begin(absl::string_view name,
                                                  absl::string_view value) {
    cuts_.push_back({name, static_cast<int64_t>(value.size())});
    return CutAtCharacter(value, max_text_);
  }

  const size_t max_text_;
  Sink& to_;
  bool in_payload_ = false;
  std::vector<Cut> cuts_;
};

// DescribeEvent, with the payload's strings and JSON values cut after
// `max_text` bytes; JSON is then a string of its first ones.
template <typename Sink>
void DescribeCutEvent(const Message& message, absl::string_view task_id,
                      size_t max_text, Sink& sink) {
  CutSink<Sink> cut(max_text, &sink);
  DescribeEvent(message, task_id, cut);
  cut.Finish();
}

}  // namespace troika

#endif  // TROIKA_DTO_CUT_H_
