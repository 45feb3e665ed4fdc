// Rows of text of which a part is shown.
#ifndef TROIKA_CLI_DASHBOARD_SCROLLED_ROWS_H_
#define TROIKA_CLI_DASHBOARD_SCROLLED_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace troika::cli {

// Text that grows at its end, which it follows unless the user has scrolled up.
class Transcript {
 public:
  // Older rows are dropped.
  static constexpr size_t kMostRows = 5000;

  // Begins anew, with rows of at most `columns`.
  void Reset(size_t columns);
  // Adds sanitized text, which may have colours and end within a line.
  void Add(absl::string_view text);

  // Negative to scroll up. `height` is the number of rows that are shown.
  void Scroll(int64_t rows, size_t height);
  void ScrollToStart();
  void ScrollToEnd() { follows_ = true; }
  bool follows() const { return follows_; }
  bool empty() const { return rows_.empty() && open_line_.empty(); }

  // Returns at most `height` rows.
  std::vector<std::string> Shown(size_t height) const;

 private:
  std::vector<std::string> OpenRows() const;
  size_t TopFor(size_t all, size_t height) const;

  size_t columns_ = 80;
  std::deque<std::string> rows_;
  std::string open_line_;
  bool follows_ = true;
  size_t top_ = 0;  // Index of the first row that is shown, unless it follows.
};

// Rows that must be seen whole, from the first one on.
class Document {
 public:
  void Set(std::vector<std::string> rows);
  size_t size() const { return rows_.size(); }

  void Scroll(int64_t rows, size_t height);
  // Returns at most `height` rows, which are then seen.
  std::vector<std::string> Show(size_t height);
  // Whether all rows were shown, without a gap.
  bool seen() const { return seen_ >= rows_.size(); }
  // "rows 1-20 of 80"; empty if all fit.
  std::string Position(size_t height) const;

 private:
  std::vector<std::string> rows_;
  size_t top_ = 0;
  size_t seen_ = 0;  // Rows from the first one that were shown without a gap.
};

}  // namespace troika::cli

#endif  // TROIKA_CLI_DASHBOARD_SCROLLED_ROWS_H_
