#include "cli/attach/screen.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/timeline/characters.h"
#include "cli/timeline/terminal_text.h"

namespace troika::cli {
namespace {

constexpr absl::string_view kClearBelow = "\x1b[J";
constexpr absl::string_view kClearRight = "\x1b[K";
constexpr absl::string_view kIndent = "  ";
constexpr absl::string_view kTab = "    ";
// Assumed if the terminal does not say more.
constexpr size_t kFewestColumns = 10;
constexpr size_t kUsualColumns = 80;
constexpr size_t kFewestRows = 3;
constexpr size_t kUsualRows = 24;

// Length of the sequence that sets a colour at the start of `text`, or 0.
size_t ColourLength(absl::string_view text) {
  if (text.size() < 2 || text[0] != '\x1b' || text[1] != '[') return 0;
  const size_t end = text.find('m');
  return end == absl::string_view::npos ? 0 : end + 1;
}

// Columns that a row with colours takes.
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

// Cuts a row with colours, and keeps the colours' end.
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

std::string Up(size_t rows) {
  return rows == 0 ? "" : absl::StrCat("\x1b[", rows, "A");
}

// Clears rows, from the cursor's on, and leaves it where it is. A terminal may
// keep what is cleared as a whole screen, such as tmux does.
std::string ClearRows(size_t rows) {
  std::string out(kClearRight);
  for (size_t i = 1; i < rows; ++i) {
    absl::StrAppend(&out, "\x1b[B", kClearRight);
  }
  return absl::StrCat(out, Up(rows - 1));
}

std::string Right(size_t columns) {
  return columns == 0 ? "" : absl::StrCat("\x1b[", columns, "C");
}

// How a character of the line is shown.
std::string Shown(const Character& c, absl::string_view bytes) {
  if (c.code == '\t') return std::string(kTab);
  return Sanitized(bytes);
}

}  // namespace

void Screen::Resize(size_t columns, size_t rows) {
  columns_ = std::max(columns == 0 ? kUsualColumns : columns, kFewestColumns);
  height_ = std::max(rows == 0 ? kUsualRows : rows, kFewestRows);
  // Rows that are now too long have become several.
  size_t all = 0, above = 0;
  for (size_t i = 0; i < widths_.size(); ++i) {
    if (i == cursor_row_) above = all + cursor_column_ / columns_;
    all += std::max<size_t>(1, (widths_[i] + columns_ - 1) / columns_);
  }
  cursor_row_ = std::min(above, height_ - 1);
  cursor_column_ = 0;
  widths_.assign(std::max(cursor_row_ + 1, std::min(all, height_)), 0);
  drawn_.clear();
}

void Screen::Forget() {
  cursor_row_ = 0;
  cursor_column_ = 0;
  widths_.assign(1, 0);
  drawn_.clear();
}

void Screen::Print(absl::string_view text) {
  const size_t end = text.rfind('\n');
  if (end != absl::string_view::npos) {
    absl::StrAppend(&new_text_, std::exchange(open_line_, ""),
                    text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
  absl::StrAppend(&open_line_, text);
  WrapOpenLine();
}

void Screen::WrapOpenLine() {
  if (PaintedWidth(open_line_) < columns_) return;
  std::vector<std::string> rows = WrapToWidth(open_line_, columns_ - 1);
  open_line_ = std::move(rows.back());
  rows.pop_back();
  for (const std::string& row : rows) absl::StrAppend(&new_text_, row, "\n");
}

Screen::Rows Screen::InputRows(const InputArea& area) const {
  const size_t room = columns_ - 1;
  Rows rows = {.texts = {area.sign}};
  size_t column = PaintedWidth(area.sign);
  const auto next_row = [&] {
    rows.texts.emplace_back(kIndent);
    column = kIndent.size();
  };
  absl::string_view rest = area.line;
  while (true) {
    const size_t at = area.line.size() - rest.size();
    if (rest.empty() && column >= room) next_row();
    if (at == area.cursor) {
      rows.cursor_row = rows.texts.size() - 1;
      rows.cursor_column = column;
    }
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
      if (at == area.cursor) {
        rows.cursor_row = rows.texts.size() - 1;
        rows.cursor_column = column;
      }
    }
    absl::StrAppend(&rows.texts.back(), shown);
    column += width;
  }
}

Screen::Rows Screen::RowsOf(const InputArea& area) const {
  Rows input = InputRows(area);
  Rows rows;
  if (!open_line_.empty()) rows.texts.push_back(open_line_);
  for (const std::string& row : area.above) {
    rows.texts.push_back(CutPainted(row, columns_ - 1));
  }
  // The line and the row above it matter most. Of a long line, the rows around
  // the cursor are shown.
  const size_t room = height_ - 1;
  const size_t most_input = std::max<size_t>(1, room * 2 / 3);
  if (input.texts.size() > most_input) {
    const size_t first =
        input.cursor_row < most_input ? 0 : input.cursor_row - most_input + 1;
    input.texts = {
        input.texts.begin() + static_cast<ptrdiff_t>(first),
        input.texts.begin() + static_cast<ptrdiff_t>(first + most_input)};
    input.cursor_row -= first;
  }
  const size_t all = rows.texts.size() + input.texts.size();
  if (all > room) {
    rows.texts.erase(rows.texts.begin(),
                     rows.texts.begin() + static_cast<ptrdiff_t>(all - room));
  }
  rows.cursor_row = rows.texts.size() + input.cursor_row;
  rows.cursor_column = input.cursor_column;
  for (std::string& row : input.texts) rows.texts.push_back(std::move(row));
  return rows;
}

std::string Screen::Begin() {
  std::string out = absl::StrCat("\r", Up(cursor_row_));
  if (!new_text_.empty()) {
    absl::StrAppend(&out, ClearRows(widths_.size()),
                    std::exchange(new_text_, ""));
    Forget();
  }
  return out;
}

std::string Screen::Draw(const InputArea& area) {
  const Rows rows = RowsOf(area);
  const std::string drawn =
      absl::StrCat(absl::StrJoin(rows.texts, absl::StrCat(kClearRight, "\r\n")),
                   kClearBelow, Up(rows.texts.size() - 1 - rows.cursor_row),
                   "\r", Right(rows.cursor_column));
  if (new_text_.empty() && drawn == drawn_) return "";
  std::string out = absl::StrCat(Begin(), drawn);
  drawn_ = drawn;
  widths_.clear();
  for (const std::string& row : rows.texts) {
    widths_.push_back(PaintedWidth(row));
  }
  cursor_row_ = rows.cursor_row;
  cursor_column_ = rows.cursor_column;
  return out;
}

std::string Screen::Erase() {
  if (!open_line_.empty()) Print("\n");
  const std::string out = Begin();
  const size_t rows = widths_.size();
  Forget();
  return absl::StrCat(out, ClearRows(rows));
}

}  // namespace troika::cli
