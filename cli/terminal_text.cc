#include "cli/terminal_text.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace troika::cli {
namespace {

constexpr char32_t kEscape = 0x1b;
constexpr char32_t kReplacement = 0xfffd;
constexpr absl::string_view kEllipsis = "…";
// Longer ones are no colours.
constexpr size_t kMaxSequence = 64;
// UTF-8 has up to 4 bytes a character, and white space may be dropped.
constexpr size_t kBytesPerColumn = 16;

struct Character {
  char32_t code = kReplacement;
  size_t bytes = 1;
  bool valid = false;
};

// The first character of `text`, which is not empty.
Character First(absl::string_view text) {
  const auto lead = static_cast<uint8_t>(text[0]);
  if (lead < 0x80) return {.code = lead, .bytes = 1, .valid = true};
  const size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < size) return {};
  char32_t code = lead & (0x7f >> size);
  for (size_t i = 1; i < size; ++i) {
    const auto next = static_cast<uint8_t>(text[i]);
    if ((next & 0xc0) != 0x80) return {};
    code = (code << 6) | (next & 0x3f);
  }
  static constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[size] || code > 0x10ffff ||
      (code >= 0xd800 && code <= 0xdfff)) {
    return {};
  }
  return {.code = code, .bytes = size, .valid = true};
}

struct Range {
  char32_t first;
  char32_t last;
};

bool Within(char32_t code, const Range* begin, const Range* end) {
  return std::any_of(begin, end, [code](const Range& range) {
    return code >= range.first && code <= range.last;
  });
}

// Marks that turn the direction of text, and invisible ones that hide a
// character's true neighbours.
bool Misleads(char32_t code) {
  static constexpr Range kMarks[] = {{0x61c, 0x61c},   {0x200e, 0x200f},
                                     {0x2028, 0x202e}, {0x2066, 0x206f},
                                     {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};
  return Within(code, std::begin(kMarks), std::end(kMarks));
}

bool IsControl(char32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

size_t WidthOf(char32_t code) {
  static constexpr Range kNone[] = {
      {0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},   {0x610, 0x61a},
      {0x64b, 0x65f},   {0x93a, 0x93c},   {0x941, 0x948},   {0xe31, 0xe31},
      {0xe34, 0xe3a},   {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200d},
      {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}};
  static constexpr Range kTwo[] = {
      {0x1100, 0x115f},   {0x231a, 0x231b},   {0x23e9, 0x23ec},
      {0x25fd, 0x25fe},   {0x2614, 0x2615},   {0x2648, 0x2653},
      {0x26a1, 0x26a1},   {0x26d4, 0x26d4},   {0x2705, 0x2705},
      {0x270a, 0x270b},   {0x2728, 0x2728},   {0x274c, 0x274c},
      {0x2753, 0x2755},   {0x2757, 0x2757},   {0x2795, 0x2797},
      {0x27b0, 0x27b0},   {0x2b1b, 0x2b1c},   {0x2b50, 0x2b50},
      {0x2e80, 0x303e},   {0x3041, 0xa4cf},   {0xa960, 0xa97f},
      {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},
      {0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x1f004, 0x1f004},
      {0x1f0cf, 0x1f0cf}, {0x1f18e, 0x1f19a}, {0x1f200, 0x1f320},
      {0x1f32d, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f7e0, 0x1f7eb},
      {0x1f900, 0x1faff}, {0x20000, 0x3fffd}};
  if (code < 0x300) return 1;
  if (Within(code, std::begin(kNone), std::end(kNone))) return 0;
  return Within(code, std::begin(kTwo), std::end(kTwo)) ? 2 : 1;
}

void AppendUtf8(char32_t code, std::string* out) {
  if (code < 0x80) {
    out->push_back(static_cast<char>(code));
    return;
  }
  // All that is appended here lies in the basic plane.
  if (code < 0x800) {
    out->push_back(static_cast<char>(0xc0 | (code >> 6)));
  } else {
    out->push_back(static_cast<char>(0xe0 | (code >> 12)));
    out->push_back(static_cast<char>(0x80 | ((code >> 6) & 0x3f)));
  }
  out->push_back(static_cast<char>(0x80 | (code & 0x3f)));
}

// The length of a sequence that sets colours and the like, after its escape;
// 0: there is none, or it is no such.
size_t ColourSequence(absl::string_view text) {
  if (text.empty() || text[0] != '[') return 0;
  const size_t limit = std::min(text.size(), kMaxSequence);
  for (size_t i = 1; i < limit; ++i) {
    const char c = text[i];
    if (c == 'm' || c == 'K') return i + 1;
    if (c < 0x30 || c > 0x3f) return 0;
  }
  return 0;
}

void AppendVisible(char32_t code, std::string* out) {
  if (code == 0x7f) {
    AppendUtf8(0x2421, out);  // ␡
  } else if (code < 0x20) {
    AppendUtf8(0x2400 + code, out);  // ␀ and the others.
  } else {
    AppendUtf8(kReplacement, out);
  }
}

}  // namespace

std::string Harmless(absl::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character first = First(text);
    const absl::string_view bytes = text.substr(0, first.bytes);
    text.remove_prefix(first.bytes);
    if (first.code == '\r') {
      if (text.empty() || text[0] != '\n') out += '\n';
    } else if (first.code == kEscape && ColourSequence(text) > 0) {
      text.remove_prefix(ColourSequence(text));
    } else if (!first.valid || Misleads(first.code)) {
      AppendUtf8(kReplacement, &out);
    } else if (IsControl(first.code) && first.code != '\n' &&
               first.code != '\t') {
      AppendVisible(first.code, &out);
    } else {
      absl::StrAppend(&out, bytes);
    }
  }
  return out;
}

std::string HarmlessLine(absl::string_view text, size_t columns) {
  const size_t enough = kBytesPerColumn * columns;
  const bool longer = text.size() > enough;
  std::string line;
  bool space = false;
  for (const char c : Harmless(text.substr(0, enough))) {
    if (c == ' ' || c == '\t' || c == '\n') {
      space = !line.empty();
      continue;
    }
    if (space) line += ' ';
    space = false;
    line += c;
  }
  if (longer && DisplayWidth(line) <= columns) {
    absl::StrAppend(&line, kEllipsis);
  }
  return CutToWidth(line, columns);
}

std::string Labelled(absl::string_view a, absl::string_view b) {
  return absl::StrCat(a, a.empty() || b.empty() ? "" : ": ", b);
}

std::string Escaped(absl::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const Character first = First(bytes);
    const absl::string_view as_it_is = bytes.substr(0, first.bytes);
    bytes.remove_prefix(first.bytes);
    if (first.code == '\n') {
      out += "\\n";
    } else if (first.code == '\r') {
      out += "\\r";
    } else if (first.code == '\t') {
      out += "\\t";
    } else if (!first.valid || first.code < 0x20 || first.code == 0x7f) {
      absl::StrAppendFormat(&out, "\\x%02x", static_cast<uint8_t>(as_it_is[0]));
    } else if (IsControl(first.code) || Misleads(first.code)) {
      absl::StrAppendFormat(&out, "\\u{%x}", static_cast<uint32_t>(first.code));
    } else {
      absl::StrAppend(&out, as_it_is);
    }
  }
  return out;
}

size_t DisplayWidth(absl::string_view text) {
  size_t columns = 0;
  while (!text.empty()) {
    const Character first = First(text);
    columns += WidthOf(first.code);
    text.remove_prefix(first.bytes);
  }
  return columns;
}

std::string CutToWidth(absl::string_view text, size_t columns) {
  size_t used = 0, fits = 0;
  absl::string_view rest = text;
  while (!rest.empty()) {
    const Character first = First(rest);
    used += WidthOf(first.code);
    if (used > columns) {
      if (columns == 0) return "";
      return absl::StrCat(text.substr(0, fits), kEllipsis);
    }
    rest.remove_prefix(first.bytes);
    // What is kept leaves a column for the ellipsis.
    if (used < columns) fits = text.size() - rest.size();
  }
  return std::string(text);
}

}  // namespace troika::cli
