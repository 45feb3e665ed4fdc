#include "cli/dashboard/scrolled_rows.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/timeline/painted_text.h"

namespace troika::cli {
namespace {

// Moves `top` by `by` rows, so that `height` of `all` rows are shown.
size_t Moved(size_t top, int64_t by, size_t all, size_t height) {
  const auto last = static_cast<int64_t>(all > height ? all - height : 0);
  return static_cast<size_t>(
      std::clamp<int64_t>(static_cast<int64_t>(top) + by, 0, last));
}

}  // namespace

void Transcript::Reset(size_t columns) {
  columns_ = std::max<size_t>(columns, 1);
  rows_.clear();
  open_line_.clear();
}

void Transcript::Add(absl::string_view text) {
  while (true) {
    const size_t end = text.find('\n');
    absl::StrAppend(&open_line_, text.substr(0, end));
    if (end == absl::string_view::npos) break;
    text.remove_prefix(end + 1);
    for (std::string& row :
         WrapPainted(std::exchange(open_line_, ""), columns_)) {
      rows_.push_back(std::move(row));
    }
  }
  while (rows_.size() > kMostRows) {
    rows_.pop_front();
    if (top_ > 0) --top_;
  }
}

std::vector<std::string> Transcript::OpenRows() const {
  if (open_line_.empty()) return {};
  return WrapPainted(open_line_, columns_);
}

size_t Transcript::TopFor(size_t all, size_t height) const {
  return follows_ ? (all > height ? all - height : 0)
                  : Moved(top_, 0, all, height);
}

void Transcript::Scroll(int64_t rows, size_t height) {
  const size_t all = rows_.size() + OpenRows().size();
  top_ = Moved(TopFor(all, height), rows, all, height);
  follows_ = top_ + height >= all;
}

void Transcript::ScrollToStart() {
  top_ = 0;
  follows_ = false;
}

std::vector<std::string> Transcript::Shown(size_t height) const {
  const std::vector<std::string> open = OpenRows();
  const size_t all = rows_.size() + open.size();
  std::vector<std::string> shown;
  for (size_t i = TopFor(all, height); i < all && shown.size() < height; ++i) {
    shown.push_back(i < rows_.size() ? rows_[i] : open[i - rows_.size()]);
  }
  return shown;
}

void Document::Set(std::vector<std::string> rows) {
  rows_ = std::move(rows);
  top_ = 0;
  seen_ = 0;
}

void Document::Scroll(int64_t rows, size_t height) {
  top_ = Moved(top_, rows, rows_.size(), height);
}

std::vector<std::string> Document::Show(size_t height) {
  top_ = Moved(top_, 0, rows_.size(), height);
  const size_t end = std::min(rows_.size(), top_ + height);
  if (top_ <= seen_) seen_ = std::max(seen_, end);
  return {rows_.begin() + static_cast<ptrdiff_t>(top_),
          rows_.begin() + static_cast<ptrdiff_t>(end)};
}

std::string Document::Position(size_t height) const {
  if (rows_.size() <= height) return "";
  return absl::StrCat("rows ", top_ + 1, "-",
                      std::min(rows_.size(), top_ + height), " of ",
                      rows_.size());
}

}  // namespace troika::cli
