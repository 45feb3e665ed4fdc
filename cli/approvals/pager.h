// Shows rows page by page.
#ifndef TROIKA_CLI_APPROVALS_PAGER_H_
#define TROIKA_CLI_APPROVALS_PAGER_H_

#include <termios.h>

#include <cstddef>
#include <string>
#include <vector>

namespace troika::cli {

// No I/O: the caller prints the rows that the methods return, and then
// prompt() until a key comes.
class Pager {
 public:
  // The terminal has `height` rows, of which the last shows the prompt.
  Pager(std::vector<std::string> rows, size_t height);

  // Must be called first.
  std::vector<std::string> FirstPage();
  // Returns the rows to print for a key, which may be none.
  std::vector<std::string> OnKey(char key);

  // Whether all rows were shown, or the user wants to see no more.
  bool done() const { return quit_ || shown_ == rows_.size(); }
  bool has_shown_all() const { return furthest_ == rows_.size(); }
  // "— more: 23 of 120 rows; space, Enter, b, q —"
  std::string prompt() const;

 private:
  std::vector<std::string> Advance(size_t rows);

  const std::vector<std::string> rows_;
  const size_t page_;
  size_t shown_ = 0;     // Rows up to the last one on the screen.
  size_t furthest_ = 0;  // Largest value of shown_ so far.
  bool quit_ = false;
};

// While it lives, the terminal delivers each key at once and does not echo it.
// Then restores the mode, and drops keys that were not read.
class KeyMode {
 public:
  // What becomes of keys that were typed before.
  enum class Pending { kDropped, kKept };
  explicit KeyMode(int fd, Pending pending = Pending::kDropped);
  ~KeyMode();
  KeyMode(const KeyMode&) = delete;
  KeyMode& operator=(const KeyMode&) = delete;

 private:
  const int fd_;
  termios before_ = {};
  bool changed_ = false;
};

}  // namespace troika::cli

#endif  // TROIKA_CLI_APPROVALS_PAGER_H_
