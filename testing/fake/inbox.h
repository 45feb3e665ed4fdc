// A process's standard input, a line at a time.
#ifndef TROIKA_TESTING_FAKE_INBOX_H_
#define TROIKA_TESTING_FAKE_INBOX_H_

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "testing/fake/signals.h"

namespace troika::fake {

// Whether what plays goes on. A turn stops when its user ends it.
enum class Flow { kGoOn, kStop };

class Inbox {
 public:
  virtual ~Inbox() = default;

  // Takes what is there; blocks where nothing is, unless a signal comes.
  Flow Read();
  // Reads all there is to come. A terminal is asked for nothing.
  void ReadToEnd();
  // Lets go of it for good.
  void Close();

  // Lines that nobody has taken yet.
  bool has_line() const { return !lines_.empty(); }
  std::string TakeLine();
  void DropLines() { lines_.clear(); }
  // Puts lines back, before those that came since.
  void PutBack(const std::vector<std::string>& lines) {
    lines_.insert(lines_.begin(), lines.begin(), lines.end());
  }

  bool at_end() const { return at_end_; }
  // Everything that was read so far.
  const std::string& all() const { return all_; }
  // Whether somebody has to look at it while a turn plays.
  Watch watch() const {
    return listens() && !at_end_ ? Watch::kStdin : Watch::kNothing;
  }

 protected:
  virtual bool listens() const { return false; }
  // Answers a line or keeps it.
  virtual Flow OnLine(std::string line);
  void Keep(std::string line) { lines_.push_back(std::move(line)); }

 private:
  std::string all_;
  size_t split_ = 0;  // Up to where `all_` was cut into lines.
  std::deque<std::string> lines_;
  bool at_end_ = false;
};

}  // namespace troika::fake

#endif  // TROIKA_TESTING_FAKE_INBOX_H_
