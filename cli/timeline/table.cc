#include "cli/timeline/table.h"

#include <sys/ioctl.h>

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
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

std::string Table::Text(size_t width) const {
  const size_t last = rows_.front().size() - 1;
  std::vector<size_t> widths(last + 1);
  for (const std::vector<std::string>& row : rows_) {
    for (size_t i = 0; i <= last; ++i) {
      widths[i] = std::max(widths[i], DisplayWidth(row[i]));
    }
  }
  size_t before = 0;
  for (size_t i = 0; i < last; ++i) before += widths[i] + kGap;
  const size_t room = width == 0
                          ? kLongestLine
                          : std::max(kFewestColumns + before, width) - before;
  std::string text;
  for (const std::vector<std::string>& row : rows_) {
    std::string line;
    for (size_t i = 0; i < last; ++i) {
      const size_t pad = widths[i] - DisplayWidth(row[i]) + kGap;
      absl::StrAppend(&line, row[i], std::string(pad, ' '));
    }
    line += CutToWidth(row[last], room);
    absl::StrAppend(&text, absl::StripTrailingAsciiWhitespace(line), "\n");
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
