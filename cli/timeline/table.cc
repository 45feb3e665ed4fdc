#include "cli/timeline/table.h"

#include <sys/ioctl.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/timeline/terminal_text.h"

namespace troika::cli {
namespace {

constexpr size_t kGap = 2;
constexpr size_t kFewestColumns = 10;

}  // namespace

Table::Table(std::vector<std::string> heads) { Add(std::move(heads)); }

void Table::Add(std::vector<std::string> cells) {
  if (!rows_.empty()) cells.resize(rows_.front().size());
  for (std::string& cell : cells) cell = SanitizedLine(cell);
  rows_.push_back(std::move(cells));
}

std::vector<size_t> Table::Widths() const {
  std::vector<size_t> widths(rows_.front().size());
  for (const std::vector<std::string>& row : rows_) {
    for (size_t i = 0; i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], DisplayWidth(row[i]));
    }
  }
  return widths;
}

size_t Table::WidthBeforeLast() const {
  const std::vector<size_t> widths = Widths();
  size_t before = 0;
  for (size_t i = 0; i + 1 < widths.size(); ++i) before += widths[i] + kGap;
  return before;
}

std::string Table::Text(size_t width) const {
  return Text(width, [](size_t, size_t, std::string cell) { return cell; });
}

std::string Table::Text(size_t width, Paint paint) const {
  const std::vector<size_t> widths = Widths();
  const size_t last = widths.size() - 1;
  const size_t before = WidthBeforeLast();
  const size_t room = width == 0
                          ? kLongestLine
                          : std::max(kFewestColumns + before, width) - before;
  std::string text;
  for (size_t number = 0; number < rows_.size(); ++number) {
    const std::vector<std::string>& row = rows_[number];
    std::string line;
    size_t gap = 0;  // Before the next cell that is not empty.
    for (size_t i = 0; i <= last; ++i) {
      const std::string cell = i == last ? CutToWidth(row[i], room) : row[i];
      if (!cell.empty()) {
        absl::StrAppend(&line, std::string(gap, ' '), paint(number, i, cell));
        gap = 0;
      }
      gap += widths[i] - std::min(widths[i], DisplayWidth(cell)) + kGap;
    }
    absl::StrAppend(&text, line, "\n");
  }
  return text;
}

size_t TerminalWidth(int fd) {
  winsize size = {};
  return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

size_t TerminalHeight(int fd) {
  winsize size = {};
  return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

}  // namespace troika::cli
