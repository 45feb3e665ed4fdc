// Reads a process's standard input line by line.
#ifndef TROIKA_TESTING_FAKE_INBOX_H_
#define TROIKA_TESTING_FAKE_INBOX_H_

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "testing/fake/signals.h"

namespace troika::fake {

// Whether to go on playing. A turn stops when its user interrupts it.
enum class Flow { kGoOn, kStop };

class Inbox {
 public:
  // A conversation does not hear its line number `deaf`; 0: it hears all.
  explicit Inbox(int64_t deaf = 0) : deaf_(deaf) {}
  virtual ~Inbox() = default;

  // Reads the available bytes; blocks if there are none, unless a signal comes.
  Flow Read();
  // Reads until the end of input. Does not read from a terminal.
  void ReadToEnd();
  // Closes standard input.
  void Close();

  // Whether there are lines that have not been taken.
  bool has_line() const { return !lines_.empty(); }
  std::string TakeLine();
  void DropLines() { lines_.clear(); }
  // Puts lines back before those that arrived since.
  void PutBack(const std::vector<std::string>& lines) {
    lines_.insert(lines_.begin(), lines.begin(), lines.end());
  }

  bool at_end() const { return at_end_; }
  // Returns everything read so far.
  const std::string& all() const { return all_; }
  // Whether stdin must be watched while a turn plays.
  Watch watch() const {
    return listens() && !at_end_ ? Watch::kStdin : Watch::kNothing;
  }

 protected:
  virtual bool listens() const { return false; }
  // Responds to a line or keeps it.
  virtual Flow OnLine(std::string line);
  void Keep(std::string line) { lines_.push_back(std::move(line)); }

 private:
  std::string all_;
  size_t split_ = 0;  // The part of `all_` before this was split into lines.
  std::deque<std::string> lines_;
  bool at_end_ = false;
  const int64_t deaf_;
  int64_t arrived_ = 0;  // Lines that are not empty.
};

}  // namespace troika::fake

#endif  // TROIKA_TESTING_FAKE_INBOX_H_
