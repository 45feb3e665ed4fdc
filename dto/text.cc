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
#include "dto/describe.h"
#include "dto/scalars.h"
#include "dto/time.h"

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
  if (text.size() <= kMaxStringBytes) return text;
  const auto is_continuation = [](char c) { return (c & 0xC0) == 0x80; };
  size_t end = kMaxStringBytes;
  while (end > kMaxStringBytes - 4 && is_continuation(text[end])) --end;
  return text.substr(0, end);
}

class TextSink {
 public:
  explicit TextSink(std::string* out) : out_(*out) {}

  void String(int, absl::string_view name, absl::string_view value) {
    if (value.empty()) return;
    Name(name);
    Quotable(value);
  }
  void Bool(int, absl::string_view name, bool value) {
    if (!value) return;
    Name(name);
    out_.append("true");
  }
  void Int32(int number, absl::string_view name, int32_t value) {
    Int64(number, name, value);
  }
  void SetInt32(int, absl::string_view name, int32_t value) {
    Name(name);
    AppendInt(value, &out_);
  }
  void Int64(int, absl::string_view name, int64_t value) {
    if (value == 0) return;
    Name(name);
    AppendInt(value, &out_);
  }
  void Double(int number, absl::string_view name, double value) {
    if (value != 0) SetDouble(number, name, value);
  }
  void SetDouble(int, absl::string_view name, double value) {
    Name(name);
    AppendDouble(value, &out_);
  }
  void Enum(int, absl::string_view name, int value,
            absl::string_view spelling) {
    if (value == 0) return;
    Name(name);
    absl::StrAppend(&out_, spelling);
  }
  void Time(int, absl::string_view name, absl::Time value) {
    Name(name);
    AppendTime(value, &out_);
  }
  void Duration(int, absl::string_view name, absl::Duration value) {
    Name(name);
    AppendDuration(value, &out_);
  }
  void Json(int, absl::string_view name, absl::string_view json) {
    Name(name);
    AppendJsonOnOneLine(Shown(json), &out_);
    Rest(json);
  }
  void Strings(int, absl::string_view name,
               const std::vector<std::string>& values) {
    List(name, values, [&](const std::string& value) { Quotable(value); });
  }
  template <typename Body>
  void Message(int number, absl::string_view name, const Body& body) {
    const size_t before = out_.size();
    SetMessage(number, name, body);
    if (out_.ends_with("={}")) out_.resize(before);
  }
  template <typename Body>
  void SetMessage(int, absl::string_view name, const Body& body) {
    Name(name);
    Braces(body);
  }
  template <typename Items, typename Body>
  void Messages(int, absl::string_view name, const Items& items,
                const Body& body) {
    List(name, items, [&](const auto& item) { Braces([&] { body(item); }); });
  }

 private:
  void Name(absl::string_view name) {
    if (!out_.ends_with('{')) out_.push_back(' ');
    absl::StrAppend(&out_, name, "=");
  }
  template <typename Body>
  void Braces(const Body& body) {
    out_.push_back('{');
    body();
    out_.push_back('}');
  }
  template <typename Items, typename Body>
  void List(absl::string_view name, const Items& items, const Body& body) {
    if (items.empty()) return;
    Name(name);
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
  // What stands for the part of `value` that is not shown.
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
  std::string out = absl::StrCat(message.id.record, ".", message.id.index, " ",
                                 kPayloadFields[message.payload.index()].name);
  TextSink sink(&out);
  if (message.time) sink.Time(0, "time", *message.time);
  sink.String(0, "parent", message.parent_tool_use_id);
  sink.String(0, "block", message.block_id);
  std::visit([&](const auto& payload) { Describe(payload, sink); },
             message.payload);
  return out;
}

}  // namespace troika
