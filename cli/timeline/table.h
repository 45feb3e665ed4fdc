// A table of text in aligned columns.
//
//   Table table({"ID", "TITLE"});
//   table.Add({task.id(), task.title()});
//   Print(io, table.Text(TerminalWidth(io.out)));
#ifndef TROIKA_CLI_TIMELINE_TABLE_H_
#define TROIKA_CLI_TIMELINE_TABLE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"

namespace troika::cli {

class Table {
 public:
  explicit Table(std::vector<std::string> heads);

  // Adds a row with a cell for each head. The cells are sanitized here.
  void Add(std::vector<std::string> cells);
  bool empty() const { return rows_.size() == 1; }

  // Returns the rows as lines. The last column is cut so that they fit into
  // `width` columns, unless that is 0.
  std::string Text(size_t width) const;
  // The same; `paint` may put escapes around the cell of a row, the first of
  // which has the heads.
  using Paint =
      absl::FunctionRef<std::string(size_t row, size_t column, std::string)>;
  std::string Text(size_t width, Paint paint) const;
  // Columns that all but the last take.
  size_t WidthBeforeLast() const;

 private:
  std::vector<size_t> Widths() const;

  std::vector<std::vector<std::string>> rows_;  // The first has the heads.
};

// Columns and rows of the terminal `fd`; 0 if it is not a terminal or does not
// know its size.
size_t TerminalWidth(int fd);
size_t TerminalHeight(int fd);

}  // namespace troika::cli

#endif  // TROIKA_CLI_TIMELINE_TABLE_H_
