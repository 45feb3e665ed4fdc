#include "cli/timeline/styled_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/timeline/terminal_text.h"

namespace troika::cli {
namespace {

// Codes of the styles, in the order of their bits.
constexpr absl::string_view kCodes[] = {"1",  "2",  "3",  "4", "9",
                                        "31", "32", "33", "36"};

void AppendCodes(uint16_t style, std::string* out) {
  for (size_t bit = 0; bit < std::size(kCodes); ++bit) {
    if ((style >> bit & 1) == 0) continue;
    absl::StrAppend(out, "\x1b[", kCodes[bit], "m");
  }
}

}  // namespace

void StyledText::Append(absl::string_view text, uint16_t style) {
  absl::StrAppend(&text_, text);
  styles_.resize(text_.size(), style);
}

void StyledText::clear() {
  text_.clear();
  styles_.clear();
}

std::string StyledText::Painted(size_t begin, size_t end,
                                Escapes escapes) const {
  if (escapes == Escapes::kNone) return text_.substr(begin, end - begin);
  std::string out;
  while (begin < end) {
    size_t next = begin;
    while (next < end && styles_[next] == styles_[begin]) ++next;
    AppendCodes(styles_[begin], &out);
    absl::StrAppend(&out, absl::string_view(text_).substr(begin, next - begin),
                    styles_[begin] == kPlainText ? "" : "\x1b[0m");
    begin = next;
  }
  return out;
}

std::vector<std::string> StyledText::Rows(size_t columns,
                                          Escapes escapes) const {
  std::vector<std::string> rows;
  size_t begin = 0;
  for (const absl::string_view line : absl::StrSplit(text_, '\n')) {
    size_t at = begin;
    for (const std::string& row : WrapToWidth(line, columns)) {
      // The space at which a row was broken is not shown.
      size_t end = at + row.size();
      while (end > at && text_[end - 1] == ' ') --end;
      rows.push_back(Painted(at, end, escapes));
      at += row.size();
    }
    begin += line.size() + 1;
  }
  return rows;
}

}  // namespace troika::cli
