#include "cli/attach/screen.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/timeline/painted_text.h"
#include "cli/timeline/terminal_text.h"

namespace troika::cli {
namespace {

constexpr absl::string_view kClearBelow = "\x1b[J";
constexpr absl::string_view kClearRight = "\x1b[K";
// Assumed if the terminal does not say more.
constexpr size_t kFewestColumns = 10;
constexpr size_t kUsualColumns = 80;
constexpr size_t kFewestRows = 3;
constexpr size_t kUsualRows = 24;

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

InputRows Screen::RowsOf(const InputArea& area) const {
  InputRows input = LayInput(area.sign, area.line, area.cursor, columns_);
  InputRows rows;
  if (!open_line_.empty()) rows.texts.push_back(open_line_);
  for (const std::string& row : area.above) {
    rows.texts.push_back(CutPainted(row, columns_ - 1));
  }
  // The line and the row above it matter most. Of a long line, the rows around
  // the cursor are shown.
  const size_t room = height_ - 1;
  ShortenInput(std::max<size_t>(1, room * 2 / 3), &input);
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
  const InputRows rows = RowsOf(area);
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
