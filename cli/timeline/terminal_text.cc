#include "cli/timeline/terminal_text.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/timeline/characters.h"

namespace troika::cli {
namespace {

constexpr char32_t kEscape = 0x1b;
constexpr absl::string_view kEllipsis = "…";
// Longer sequences are not taken for colours.
constexpr size_t kMaxSequence = 64;
// UTF-8 has up to 4 bytes a character, and white space may be dropped.
constexpr size_t kBytesPerColumn = 16;

// Returns the length, without the escape, of a sequence that sets colours or
// erases to the end of the line; 0 if `text` does not begin with one.
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

std::string Sanitized(absl::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character first = FirstCharacter(text);
    const absl::string_view bytes = text.substr(0, first.bytes);
    text.remove_prefix(first.bytes);
    if (first.code == '\r') {
      if (text.empty() || text[0] != '\n') out += '\n';
    } else if (first.code == kEscape && ColourSequence(text) > 0) {
      text.remove_prefix(ColourSequence(text));
    } else if (!first.valid || Reorders(first.code)) {
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

std::string SanitizedLine(absl::string_view text, size_t columns) {
  const size_t enough = kBytesPerColumn * columns;
  const bool longer = text.size() > enough;
  std::string line;
  bool space = false;
  for (const char c : Sanitized(text.substr(0, enough))) {
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
    const Character first = FirstCharacter(bytes);
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
    } else if (IsControl(first.code) || Reorders(first.code)) {
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
    const Character first = FirstCharacter(text);
    columns += WidthOf(first.code);
    text.remove_prefix(first.bytes);
  }
  return columns;
}

std::string CutToWidth(absl::string_view text, size_t columns) {
  size_t used = 0, fits = 0;
  absl::string_view rest = text;
  while (!rest.empty()) {
    const Character first = FirstCharacter(rest);
    used += WidthOf(first.code);
    if (used > columns) {
      if (columns == 0) return "";
      return absl::StrCat(text.substr(0, fits), kEllipsis);
    }
    rest.remove_prefix(first.bytes);
    // Leaves a column for the ellipsis.
    if (used < columns) fits = text.size() - rest.size();
  }
  return std::string(text);
}

std::vector<std::string> WrapToWidth(absl::string_view text, size_t columns) {
  std::vector<std::string> rows;
  size_t begin = 0, used = 0;
  size_t word = 0;  // Start of the last word in the row, or `begin`.
  for (size_t at = 0; at < text.size();) {
    const Character c = FirstCharacter(text.substr(at));
    const size_t width = WidthOf(c.code);
    if (columns > 0 && used + width > columns && at > begin) {
      // Breaks a word that is longer than a row.
      const size_t end = word > begin ? word : at;
      rows.emplace_back(text.substr(begin, end - begin));
      begin = word = end;
      used = DisplayWidth(text.substr(begin, at - begin));
    }
    used += width;
    at += c.bytes;
    if (c.code == ' ') word = at;
  }
  rows.emplace_back(text.substr(begin));
  return rows;
}

std::string CutMiddleToWidth(absl::string_view text, size_t columns) {
  if (DisplayWidth(text) <= columns) return std::string(text);
  const std::string head = CutToWidth(text, (columns + 1) / 2);
  size_t left = columns - DisplayWidth(head);
  std::vector<absl::string_view> characters;
  for (absl::string_view rest = text; !rest.empty();) {
    const size_t bytes = FirstCharacter(rest).bytes;
    characters.push_back(rest.substr(0, bytes));
    rest.remove_prefix(bytes);
  }
  size_t tail = text.size();
  while (!characters.empty()) {
    const size_t width = DisplayWidth(characters.back());
    if (width > left) break;
    left -= width;
    tail -= characters.back().size();
    characters.pop_back();
  }
  return absl::StrCat(head, text.substr(tail));
}

}  // namespace troika::cli
