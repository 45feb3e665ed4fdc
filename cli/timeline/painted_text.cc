#include "cli/timeline/painted_text.h"

#include "absl/strings/str_cat.h"
#include "cli/timeline/characters.h"

namespace troika::cli {
namespace {

constexpr absl::string_view kNoColour = "\x1b[0m";

}  // namespace

size_t ColourLength(absl::string_view text) {
  if (text.size() < 2 || text[0] != '\x1b' || text[1] != '[') return 0;
  const size_t end = text.find('m');
  return end == absl::string_view::npos ? 0 : end + 1;
}

size_t PaintedWidth(absl::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    const size_t colour = ColourLength(text);
    const Character c = FirstCharacter(text);
    if (colour == 0) width += WidthOf(c.code);
    text.remove_prefix(colour > 0 ? colour : c.bytes);
  }
  return width;
}

std::string CutPainted(absl::string_view text, size_t columns) {
  if (PaintedWidth(text) <= columns) return std::string(text);
  std::string out;
  size_t width = 0;
  while (!text.empty()) {
    const size_t colour = ColourLength(text);
    const Character c = FirstCharacter(text);
    const size_t bytes = colour > 0 ? colour : c.bytes;
    if (colour == 0) width += WidthOf(c.code);
    if (colour > 0 || width < columns) {
      absl::StrAppend(&out, text.substr(0, bytes));
    }
    text.remove_prefix(bytes);
  }
  return absl::StrCat(out, "…");
}

std::vector<std::string> WrapPainted(absl::string_view text, size_t columns) {
  std::vector<std::string> rows(1);
  std::string colours;  // Those that are set.
  size_t width = 0;
  while (!text.empty()) {
    const size_t colour = ColourLength(text);
    const Character c = FirstCharacter(text);
    const absl::string_view bytes =
        text.substr(0, colour > 0 ? colour : c.bytes);
    text.remove_prefix(bytes.size());
    if (colour > 0) {
      if (bytes == kNoColour) {
        colours.clear();
      } else {
        absl::StrAppend(&colours, bytes);
      }
    } else {
      if (width > 0 && width + WidthOf(c.code) > columns) {
        if (!colours.empty()) absl::StrAppend(&rows.back(), kNoColour);
        rows.push_back(colours);
        width = 0;
      }
      width += WidthOf(c.code);
    }
    absl::StrAppend(&rows.back(), bytes);
  }
  return rows;
}

}  // namespace troika::cli
