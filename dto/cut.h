// Leaves out secrets and the ends of long texts of an event, and says in its
// `cut` what was long.
#ifndef TROIKA_DTO_CUT_H_
#define TROIKA_DTO_CUT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "agent/message.h"
#include "base/json.h"
#include "base/utf8.h"
#include "dto/describe.h"
#include "dto/redact.h"

namespace troika {

// Passes an event on to another sink. Texts are redacted before they are cut:
// a part of a secret would not be found.
template <typename Sink>
class CutSink {
 public:
  CutSink(size_t max_text, const Redactor* /*nullable*/ redactor, Sink* sink)
      : max_text_(max_text), redactor_(redactor), to_(*sink) {}

  // Says what was cut, after all else.
  void Finish() {
    if (cuts_.empty()) return;
    to_.PutMessages({6, "cut"}, cuts_, [&](const Cut& cut) {
      to_.Put({1, "field"}, cut.field);
      to_.Put({2, "size"}, cut.size);
    });
  }

  void Put(const FieldInfo& field, absl::string_view text) {
    std::optional<std::string> redacted;
    if (redactor_ != nullptr && in_payload_) {
      redacted = redactor_->RedactedText(field.name, text);
    }
    to_.Put(field, Begin(field, redacted ? *redacted : text));
  }
  void Put(const FieldInfo& field, JsonValue json) {
    std::optional<std::string> redacted;
    if (redactor_ != nullptr) redacted = redactor_->RedactedJson(json.text);
    if (redacted) json.text = *redacted;
    std::string begin;
    if (json.text.size() > max_text_) {
      json::AppendQuoted(Begin(field, json.text), &begin);
      json.text = begin;
    }
    to_.Put(field, json);
  }
  void Put(const FieldInfo& field, std::vector<std::string> texts) {
    for (std::string& text : texts) {
      std::optional<std::string> redacted;
      if (redactor_ != nullptr) redacted = redactor_->RedactedText("", text);
      if (redacted) text = *std::move(redacted);
      text.resize(Begin(field, text).size());
    }
    to_.Put(field, texts);
  }
  template <typename Value>
  void Put(const FieldInfo& field, const Value& value) {
    to_.Put(field, value);
  }
  template <typename Body>
  void PutMessage(const FieldInfo& field, const Body& body) {
    in_payload_ = true;  // The first one is the payload; its ids come before.
    to_.PutMessage(field, body);
  }
  template <typename Items, typename Body>
  void PutMessages(const FieldInfo& field, const Items& items,
                   const Body& body) {
    to_.PutMessages(field, items, body);
  }

 private:
  struct Cut {
    absl::string_view field;
    int64_t size;
  };

  // As much of `text` as may be shown.
  absl::string_view Begin(const FieldInfo& field, absl::string_view text) {
    if (text.size() <= max_text_ || !in_payload_) return text;
    cuts_.push_back({field.name, static_cast<int64_t>(text.size())});
    return CutAtCharacter(text, max_text_);
  }

  const size_t max_text_;
  const Redactor* const redactor_;
  Sink& to_;
  bool in_payload_ = false;
  std::vector<Cut> cuts_;
};

}  // namespace troika

#endif  // TROIKA_DTO_CUT_H_
