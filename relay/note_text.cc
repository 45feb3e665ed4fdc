#include "relay/note_text.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace troika::relay {
namespace {

bool IsContinuation(char c) { return (static_cast<uint8_t>(c) & 0xC0) == 0x80; }

// Returns the length of the UTF-8 character at the start of `text`, or 0 if it
// is invalid.
size_t CharacterLength(absl::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(0);
  size_t length = 0;
  if (first < 0x80) length = 1;
  if (first >= 0xC2 && first < 0xE0) length = 2;
  if (first >= 0xE0 && first < 0xF0) length = 3;
  if (first >= 0xF0 && first < 0xF5) length = 4;
  if (length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if (!IsContinuation(text[i])) return 0;
  }
  // Refuses overlong forms, surrogates, and values above U+10FFFF.
  if (first == 0xE0 && byte(1) < 0xA0) return 0;
  if (first == 0xED && byte(1) > 0x9F) return 0;
  if (first == 0xF0 && byte(1) < 0x90) return 0;
  if (first == 0xF4 && byte(1) > 0x8F) return 0;
  return length;
}

void AppendQuoted(absl::string_view text, std::string* out) {
  static constexpr char kHex[] = "0123456789abcdef";
  *out += '"';
  while (!text.empty()) {
    const size_t length = CharacterLength(text);
    const auto first = static_cast<uint8_t>(text[0]);
    if (length == 0) {
      *out += "\xEF\xBF\xBD";
    } else if (first == '"' || first == '\\') {
      *out += '\\';
      *out += text[0];
    } else if (first == '\n') {
      *out += "\\n";
    } else if (first < 0x20) {
      absl::StrAppend(out, "\\u00", absl::string_view(&kHex[first >> 4], 1),
                      absl::string_view(&kHex[first & 15], 1));
    } else {
      out->append(text.data(), length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  *out += '"';
}

}  // namespace

NoteText::NoteText(absl::string_view note) : text_("{\"note\":") {
  AppendQuoted(note, &text_);
}

void NoteText::Name(absl::string_view name) {
  absl::StrAppend(&text_, ",\"", name, "\":");
}

NoteText& NoteText::Int(absl::string_view name, int64_t value) {
  Name(name);
  absl::StrAppend(&text_, value);
  return *this;
}

NoteText& NoteText::String(absl::string_view name, absl::string_view value) {
  if (value.empty()) return *this;
  Name(name);
  AppendQuoted(value, &text_);
  return *this;
}

NoteText& NoteText::Strings(absl::string_view name,
                            const std::vector<std::string>& values) {
  Name(name);
  absl::string_view separator = "[";
  for (const std::string& value : values) {
    absl::StrAppend(&text_, std::exchange(separator, ","));
    AppendQuoted(value, &text_);
  }
  text_ += values.empty() ? "[]" : "]";
  return *this;
}

std::string NoteText::Take() {
  text_ += '}';
  return std::move(text_);
}

}  // namespace troika::relay
