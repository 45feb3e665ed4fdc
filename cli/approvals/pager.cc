#include "cli/approvals/pager.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace troika::cli {

Pager::Pager(std::vector<std::string> rows, size_t height)
    : rows_(std::move(rows)), page_(std::max<size_t>(height, 2) - 1) {}

std::vector<std::string> Pager::FirstPage() { return Advance(page_); }

std::vector<std::string> Pager::OnKey(char key) {
  switch (key) {
    case ' ':
    case 'f':
      return Advance(page_);
    case '\r':
    case '\n':
    case 'j':
      return Advance(1);
    case 'b':
      shown_ -= std::min(shown_, 2 * page_);
      return Advance(page_);
    case 'q':
      quit_ = true;
      return {};
    default:
      return {};
  }
}

std::vector<std::string> Pager::Advance(size_t rows) {
  const size_t end = std::min(rows_.size(), shown_ + rows);
  std::vector<std::string> page(rows_.begin() + static_cast<ptrdiff_t>(shown_),
                                rows_.begin() + static_cast<ptrdiff_t>(end));
  shown_ = end;
  furthest_ = std::max(furthest_, shown_);
  return page;
}

std::string Pager::prompt() const {
  return absl::StrCat("— more: ", shown_, " of ", rows_.size(),
                      " rows (space, Enter, b for back, q to stop) —");
}

KeyMode::KeyMode(int fd, Pending pending) : fd_(fd) {
  if (tcgetattr(fd_, &before_) != 0) return;
  termios keys = before_;
  keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  keys.c_cc[VMIN] = 1;
  keys.c_cc[VTIME] = 0;
  const int when = pending == Pending::kKept ? TCSANOW : TCSAFLUSH;
  changed_ = tcsetattr(fd_, when, &keys) == 0;
}

KeyMode::~KeyMode() {
  if (changed_) tcsetattr(fd_, TCSAFLUSH, &before_);
}

}  // namespace troika::cli
