#include "dto/text.h"

#include <xxhash.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/json.h"
#include "base/utf8.h"
#include "dto/describe.h"
#include "dto/scalars.h"

namespace troika {
namespace {

constexpr size_t kMaxStringBytes = 300;

bool IsBare(absl::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isalnum(c) || absl::StrContains("_-+./:@#%*$~!?&", c);
  });
}

// The start of `text` that is shown, cut between characters.
absl::string_view Shown(absl::string_view text) {
  return CutAtCharacter(text, kMaxStringBytes);
}

class TextSink {
 public:
  explicit TextSink(std::string* out) : out_(*out) {}

  void Put(const FieldInfo& field, absl::string_view text) {
    if (Skips(field, text.empty())) return;
    Name(field);
    Quotable(text);
  }
  void Put(const FieldInfo& field, bool value) {
    if (Skips(field, !value)) return;
    Name(field);
    out_.append(value ? "true" : "false");
  }
  void Put(const FieldInfo& field, int64_t value) {
    if (Skips(field, value == 0)) return;
    Name(field);
    absl::StrAppend(&out_, value);
  }
  void Put(const FieldInfo& field, int32_t value) {
    Put(field, int64_t{value});
  }
  void Put(const FieldInfo& field, double value) {
    if (Skips(field, value == 0)) return;
    Name(field);
    AppendDouble(value, &out_);
  }
  void Put(const FieldInfo& field, const EnumValue& value) {
    if (Skips(field, value.number == 0)) return;
    Name(field);
    absl::StrAppend(&out_, value.name);
  }
  void Put(const FieldInfo& field, absl::Time value) {
    Name(field);
    AppendTime(value, &out_);
  }
  void Put(const FieldInfo& field, absl::Duration value) {
    Name(field);
    AppendDuration(value, &out_);
  }
  void Put(const FieldInfo& field, const JsonValue& json) {
    Name(field);
    AppendJsonOnOneLine(Shown(json.text), &out_);
    Rest(json.text);
  }
  void Put(const FieldInfo& field, const std::vector<std::string>& texts) {
    List(field, texts, [&](const std::string& text) { Quotable(text); });
  }
  template <typename Body>
  void PutMessage(const FieldInfo& field, const Body& body) {
    const size_t before = out_.size();
    Name(field);
    Braces(body);
    if (Skips(field, out_.ends_with("={}"))) out_.resize(before);
  }
  template <typename Items, typename Body>
  void PutMessages(const FieldInfo& field, const Items& items,
                   const Body& body) {
    List(field, items, [&](const auto& item) { Braces([&] { body(item); }); });
  }

 private:
  static bool Skips(const FieldInfo& field, bool is_default) {
    return is_default && !field.is_set;
  }
  void Name(const FieldInfo& field) {
    if (!out_.ends_with('{')) out_.push_back(' ');
    absl::StrAppend(&out_, field.name, "=");
  }
  template <typename Body>
  void Braces(const Body& body) {
    out_.push_back('{');
    body();
    out_.push_back('}');
  }
  template <typename Items, typename Body>
  void List(const FieldInfo& field, const Items& items, const Body& body) {
    if (items.empty()) return;
    Name(field);
    char separator = '[';
    for (const auto& item : items) {
      out_.push_back(separator);
      separator = ',';
      body(item);
    }
    out_.push_back(']');
  }
  void Quotable(absl::string_view value) {
    const absl::string_view shown = Shown(value);
    if (IsBare(shown)) {
      absl::StrAppend(&out_, shown);
    } else {
      json::AppendQuoted(shown, &out_);
    }
    Rest(value);
  }
  // Appends the size and a hash for the part of `value` that is not shown.
  void Rest(absl::string_view value) {
    if (value.size() <= kMaxStringBytes) return;
    const XXH64_hash_t hash = XXH3_64bits(value.data(), value.size());
    absl::StrAppend(&out_, "…<", value.size(), " bytes, xxh3 ",
                    absl::Hex(hash, absl::kZeroPad16), ">");
  }

  std::string& out_;
};

}  // namespace

std::string EventText(const Message& message) {
  std::string out = absl::StrCat(EventIdText(message.id), " ",
                                 kPayloadFields[message.payload.index()].name);
  TextSink sink(&out);
  if (message.time) sink.Put({0, "time"}, *message.time);
  sink.Put({0, "parent"}, absl::string_view(message.parent_tool_use_id));
  sink.Put({0, "block"}, absl::string_view(message.block_id));
  std::visit([&](const auto& payload) { Describe(payload, sink); },
             message.payload);
  return out;
}

}  // namespace troika
