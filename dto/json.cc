#include "dto/json.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/json_fields.h"
#include "base/utf8.h"
#include "dto/describe.h"
#include "dto/scalars.h"

namespace troika {
namespace {

// A sink (dto/describe.h) that writes JSON.
class JsonSink {
 public:
  explicit JsonSink(std::string* out) : out_(*out) {}

  ABSL_ATTRIBUTE_ALWAYS_INLINE void Put(const FieldInfo& field,
                                        absl::string_view text) {
    Name(field);
    json::AppendQuoted(text, &out_);
  }
  ABSL_ATTRIBUTE_ALWAYS_INLINE void Put(const FieldInfo& field, bool value) {
    Name(field);
    out_.append(value ? "true" : "false");
  }
  ABSL_ATTRIBUTE_ALWAYS_INLINE void Put(const FieldInfo& field, int32_t value) {
    Name(field);
    absl::StrAppend(&out_, value);
  }
  ABSL_ATTRIBUTE_ALWAYS_INLINE void Put(const FieldInfo& field, int64_t value) {
    Name(field);
    out_.push_back('"');
    absl::StrAppend(&out_, value);
    out_.push_back('"');
  }
  void Put(const FieldInfo& field, double value) {
    Name(field);
    AppendDouble(value, &out_);
  }
  ABSL_ATTRIBUTE_ALWAYS_INLINE void Put(const FieldInfo& field,
                                        const EnumValue& value) {
    Name(field);
    Quoted(value.name, 0);
  }
  void Put(const FieldInfo& field, absl::Time value) {
    Name(field);
    out_.push_back('"');
    AppendTime(value, &out_);
    out_.push_back('"');
  }
  void Put(const FieldInfo& field, absl::Duration value) {
    Name(field);
    out_.push_back('"');
    AppendDuration(value, &out_);
    out_.push_back('"');
  }
  void Put(const FieldInfo& field, const JsonValue& json) {
    Name(field);
    AppendJsonOnOneLine(json.text, &out_);
  }
  void Put(const FieldInfo& field, const std::vector<std::string>& texts) {
    List(field, texts,
         [&](const std::string& text) { json::AppendQuoted(text, &out_); });
  }
  template <typename Body>
  void PutMessage(const FieldInfo& field, const Body& body) {
    Name(field);
    Object(body);
  }
  template <typename Items, typename Body>
  void PutMessages(const FieldInfo& field, const Items& items,
                   const Body& body) {
    List(field, items, [&](const auto& item) { Object([&] { body(item); }); });
  }
  template <typename Body>
  void Object(const Body& body) {
    Open('{');
    body();
    Close('}');
  }

 private:
  template <typename Items, typename Body>
  void List(const FieldInfo& field, const Items& items, const Body& body) {
    Name(field);
    Open('[');
    for (const auto& item : items) {
      Comma();
      body(item);
    }
    Close(']');
  }
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
  // For text that needs no escape. It grows the string once and is inlined, so
  // that names are constants to it: most of a small event is names.
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
  ABSL_ATTRIBUTE_ALWAYS_INLINE void Name(const FieldInfo& field) {
    Comma();
    *Quoted(field.name, 1) = ':';
  }

  std::string& out_;
  bool first_ = true;  // Nothing stands yet after the last bracket.
};

// Room for the part of a secret at the end, and for the secrets that become
// shorter before it.
constexpr size_t kReadAhead = 2 * kMaxSecretBytes;

// Leaves out secrets and the ends of long texts of an event. Texts are redacted
// before they are cut, because a part of a secret would not be found; of a very
// long one only as much as may be shown is redacted.
class CutSink {
 public:
  CutSink(size_t max_text, const Redactor* /*nullable*/ redactor,
          JsonSink* sink)
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
    const absl::string_view start = Start(text);
    if (redactor_ != nullptr && in_payload_) {
      redacted = redactor_->RedactedText(field.name, start);
    }
    to_.Put(field, Begin(field, redacted ? *redacted : start, text));
  }
  void Put(const FieldInfo& field, JsonValue json) {
    std::optional<std::string> redacted;
    const absl::string_view whole = json.text;
    json.text = Start(whole);
    if (redactor_ != nullptr) redacted = redactor_->RedactedJson(json.text);
    if (redacted) json.text = *redacted;
    std::string begin;
    if (json.text.size() > max_text_ || IsVeryLong(whole)) {
      json::AppendQuoted(Begin(field, json.text, whole), &begin);
      json.text = begin;
    }
    to_.Put(field, json);
  }
  void Put(const FieldInfo& field, std::vector<std::string> texts) {
    for (std::string& text : texts) {
      std::optional<std::string> redacted;
      if (redactor_ != nullptr) {
        redacted = redactor_->RedactedText(NameOfItems(field.name), text);
      }
      if (redacted) text = *std::move(redacted);
      text.resize(Begin(field, text, text).size());
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

  bool IsVeryLong(absl::string_view whole) const {
    const bool withheld = redactor_ != nullptr && !redactor_->problem().empty();
    return in_payload_ && !withheld && whole.size() > kReadAhead &&
           whole.size() - kReadAhead > max_text_;
  }
  // As much of a text as must be redacted.
  absl::string_view Start(absl::string_view whole) const {
    if (!IsVeryLong(whole)) return whole;
    return CutAtCharacter(whole, max_text_ + kReadAhead);
  }
  // As much of `text`, the redacted start of `whole`, as may be shown.
  absl::string_view Begin(const FieldInfo& field, absl::string_view text,
                          absl::string_view whole) {
    if (IsVeryLong(whole)) {
      cuts_.push_back({field.name, static_cast<int64_t>(whole.size())});
      const size_t sure = text.size() - std::min(text.size(), kMaxSecretBytes);
      return CutAtCharacter(text, std::min(max_text_, sure));
    }
    if (text.size() <= max_text_ || !in_payload_) return text;
    cuts_.push_back({field.name, static_cast<int64_t>(text.size())});
    return CutAtCharacter(text, max_text_);
  }

  const size_t max_text_;
  const Redactor* const redactor_;
  JsonSink& to_;
  bool in_payload_ = false;
  std::vector<Cut> cuts_;
};

// A sink that adds up the fields.
class MeasuringSink {
 public:
  explicit MeasuringSink(size_t max_text) : max_text_(max_text) {}

  const EventSize& size() const { return size_; }

  void Put(const FieldInfo& field, absl::string_view text) {
    Add(field, 3);
    AddText(text);
  }
  void Put(const FieldInfo& field, const JsonValue& json) {
    Put(field, json.text);
  }
  void Put(const FieldInfo& field, const std::vector<std::string>& texts) {
    Add(field, 3);
    for (const std::string& text : texts) AddText(text);
  }
  void Put(const FieldInfo& field, bool) { Add(field, 5); }
  void Put(const FieldInfo& field, int32_t) { Add(field, 5); }
  void Put(const FieldInfo& field, int64_t) { Add(field, 10); }
  void Put(const FieldInfo& field, double) { Add(field, 10); }
  void Put(const FieldInfo& field, const EnumValue& value) {
    Add(field, value.name.size());
  }
  void Put(const FieldInfo& field, absl::Time) { Add(field, 30); }
  void Put(const FieldInfo& field, absl::Duration) { Add(field, 10); }
  template <typename Body>
  void PutMessage(const FieldInfo& field, const Body& body) {
    in_payload_ = true;  // The first one is the payload; its ids come before.
    Add(field, 3);
    body();
  }
  template <typename Items, typename Body>
  void PutMessages(const FieldInfo& field, const Items& items,
                   const Body& body) {
    Add(field, 3);
    for (const auto& item : items) body(item);
  }

 private:
  void Add(const FieldInfo& field, size_t value) {
    size_.bytes += static_cast<int64_t>(field.name.size() + value + 4);
  }
  void AddText(absl::string_view text) {
    const bool cut = in_payload_ && text.size() > max_text_;
    size_.cut |= cut;
    size_.bytes += static_cast<int64_t>(cut ? max_text_ : text.size()) + 3;
  }

  const size_t max_text_;
  bool in_payload_ = false;
  EventSize size_;
};

// Tries each payload by its name; false if `event` has none of them.
template <size_t... kIndex>
bool ReadPayload(json::Value event, json::FieldReader* reader, Payload* out,
                 std::index_sequence<kIndex...>) {
  return ([&] {
    const json::Value body = event.Get(kPayloadFields[kIndex].name);
    if (!body.IsObject()) return false;
    reader->Read(body, &out->emplace<kIndex>());
    return true;
  }() || ...);
}

// The member that is no part of every event.
std::string PayloadName(json::Value event) {
  static constexpr absl::string_view kCommon[] = {
      "id", "time", "taskId", "parentToolUseId", "blockId", "cut"};
  for (const json::Member& member : event.members()) {
    if (std::find(std::begin(kCommon), std::end(kCommon), member.key) ==
        std::end(kCommon)) {
      return std::string(member.key);
    }
  }
  return "";
}

}  // namespace

void AppendEventJson(const Message& message, absl::string_view task_id,
                     std::string* out) {
  JsonSink sink(out);
  sink.Object([&] { DescribeEvent(message, task_id, sink); });
}

void AppendEventJson(const Message& message, absl::string_view task_id,
                     const EventJsonOptions& options, std::string* out) {
  const size_t from = out->size();
  JsonSink sink(out);
  sink.Object([&] {
    CutSink cut(options.max_text, options.redactor, &sink);
    DescribeEvent(message, task_id, cut);
    cut.Finish();
  });
  if (options.redactor != nullptr) options.redactor->Redact(out, from);
}

EventSize MeasureEvent(const Message& message, size_t max_text) {
  MeasuringSink sink(max_text);
  DescribeEvent(message, "", sink);
  return sink.size();
}

absl::StatusOr<Message> ReadEvent(json::Value event) {
  if (!event.IsObject()) {
    return absl::InvalidArgumentError(
        absl::StrCat("read an event: wanted an object, and this is ",
                     json::TypeName(event.type())));
  }
  Message message;
  message.id = ParseEventId(event.Get("id").StringOr("")).value_or(EventId());
  json::FieldReader reader;
  reader.Read(event, &message);
  const bool found =
      ReadPayload(event, &reader, &message.payload,
                  std::make_index_sequence<std::variant_size_v<Payload>>());
  if (!found || reader.has_unknown_name()) {
    const std::string line = event.ToJson();
    message.payload = Raw{.type = PayloadName(event),
                          .line = line,
                          .reason = "from a newer server",
                          .size = static_cast<int64_t>(line.size())};
  }
  return message;
}

}  // namespace troika
