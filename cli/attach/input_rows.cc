#include "cli/attach/input_rows.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/timeline/characters.h"
#include "cli/timeline/painted_text.h"
#include "cli/timeline/terminal_text.h"

namespace troika::cli {
namespace {

constexpr absl::string_view kIndent = "  ";
constexpr absl::string_view kTab = "    ";

// How a character of the line is shown.
std::string Shown(const Character& c, absl::string_view bytes) {
  if (c.code == '\t') return std::string(kTab);
  return Sanitized(bytes);
}

}  // namespace

InputRows LayInput(absl::string_view sign, absl::string_view line,
                   size_t cursor, size_t columns) {
  const size_t room = columns - 1;
  InputRows rows = {.texts = {std::string(sign)}};
  size_t column = PaintedWidth(sign);
  const auto next_row = [&] {
    rows.texts.emplace_back(kIndent);
    column = kIndent.size();
  };
  const auto set_cursor = [&] {
    rows.cursor_row = rows.texts.size() - 1;
    rows.cursor_column = column;
  };
  absl::string_view rest = line;
  while (true) {
    const size_t at = line.size() - rest.size();
    if (rest.empty() && column >= room) next_row();
    if (at == cursor) set_cursor();
    if (rest.empty()) return rows;
    const Character c = FirstCharacter(rest);
    const std::string shown = Shown(c, rest.substr(0, c.bytes));
    rest.remove_prefix(c.bytes);
    if (c.code == '\n') {
      next_row();
      continue;
    }
    const size_t width = DisplayWidth(shown);
    if (column + width > room) {
      next_row();
      if (at == cursor) set_cursor();
    }
    absl::StrAppend(&rows.texts.back(), shown);
    column += width;
  }
}

void ShortenInput(size_t most, InputRows* rows) {
  if (rows->texts.size() <= most) return;
  const size_t first =
      rows->cursor_row < most ? 0 : rows->cursor_row - most + 1;
  rows->texts = {rows->texts.begin() + static_cast<ptrdiff_t>(first),
                 rows->texts.begin() + static_cast<ptrdiff_t>(first + most)};
  rows->cursor_row -= first;
}

}  // namespace troika::cli
