// Rows of text for people, in columns that line up.
//
//   Table table({"ID", "TITLE"});
//   table.Add({task.id(), task.title()});
//   Print(io, table.Text(TerminalWidth(io.out)));
#ifndef TROIKA_CLI_TIMELINE_TABLE_H_
#define TROIKA_CLI_TIMELINE_TABLE_H_

#include <cstddef>
#include <string>
#include <vector>

namespace troika::cli {

class Table {
 public:
  explicit Table(std::vector<std::string> heads);

  // As many cells as there are heads; any text, made harmless here.
  void Add(std::vector<std::string> cells);
  bool empty() const { return rows_.size() == 1; }

  // A line each, with its end. The last column is cut so that the lines fit
  // into `width` columns; 0: it is not.
  std::string Text(size_t width) const;

 private:
  std::vector<std::vector<std::string>> rows_;  // The heads first.
};

// Columns of the terminal `fd`; 0 if it is no terminal or does not say.
size_t TerminalWidth(int fd);
// Rows of the terminal `fd`; 0 if it is no terminal or does not say.
size_t TerminalHeight(int fd);

}  // namespace troika::cli

#endif  // TROIKA_CLI_TIMELINE_TABLE_H_
