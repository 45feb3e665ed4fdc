// Draws the rows at the bottom of a terminal: what the agent does, what it
// asks, and the line that the user types. Text is printed above them, and
// scrolls away as any output does.
#ifndef TROIKA_CLI_ATTACH_SCREEN_H_
#define TROIKA_CLI_ATTACH_SCREEN_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "cli/attach/input_rows.h"

namespace troika::cli {

// What the rows at the bottom show.
struct InputArea {
  // Rows above the line, sanitized; they may have colours. Cut if too long.
  std::vector<std::string> above;
  std::string sign;   // Before the line: "❯ ". May have colours.
  std::string line;   // Any UTF-8; newlines begin another row.
  size_t cursor = 0;  // In the line, in bytes.

  bool operator==(const InputArea&) const = default;
};

// No I/O: methods return bytes for the terminal.
class Screen {
 public:
  Screen(size_t columns, size_t rows) { Resize(columns, rows); }

  // The terminal has another size, and has wrapped the rows anew.
  void Resize(size_t columns, size_t rows);
  size_t columns() const { return columns_; }
  size_t rows() const { return height_; }

  // Adds text, which the next Draw() or Erase() prints. It is sanitized, may
  // have colours and may end within a line, which stays open.
  void Print(absl::string_view text);

  // Returns what prints the new text and draws the area below it; empty if
  // nothing has changed.
  std::string Draw(const InputArea& area);
  // Returns what prints the new text and removes the area. The cursor is then
  // at the start of a row.
  std::string Erase();
  // The terminal was cleared: nothing is drawn, and the cursor is in the first
  // row.
  void Forget();

 private:
  // Moves full rows of the open line to the text that is printed.
  void WrapOpenLine();
  InputRows RowsOf(const InputArea& area) const;
  // Moves to the first row of the area, and prints the new text there.
  std::string Begin();

  size_t columns_ = 0;
  size_t height_ = 0;
  std::string new_text_;   // Whole lines.
  std::string open_line_;  // The start of a line whose end has not come.
  std::string drawn_;  // The area as it was drawn last; empty if it was not.
  std::vector<size_t> widths_;  // Widths of the rows that are drawn.
  size_t cursor_row_ = 0;       // Row of the cursor in the area.
  size_t cursor_column_ = 0;
};

}  // namespace troika::cli

#endif  // TROIKA_CLI_ATTACH_SCREEN_H_
