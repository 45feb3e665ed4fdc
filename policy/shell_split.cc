#include "policy/shell_split.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace troika::policy {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

class Splitter {
 public:
  explicit Splitter(absl::string_view text) : text_(text) {}

  std::optional<std::vector<std::string>> Split() {
    std::vector<std::string> words;
    while (true) {
      SkipBlanks();
      if (at_ >= text_.size()) return words;
      std::string word;
      if (!Word(&word)) return std::nullopt;
      // What is only a line that continues is no word.
      if (in_word_) words.push_back(std::move(word));
    }
  }

 private:
  void SkipBlanks() {
    while (at_ < text_.size()) {
      if (text_[at_] == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (IsBlank(text_[at_])) {
        ++at_;
      } else {
        return;
      }
    }
  }

  bool Word(std::string* word) {
    in_word_ = false;
    while (at_ < text_.size() && !IsBlank(text_[at_])) {
      const char c = text_[at_++];
      if (c == '\'') {
        const size_t end = text_.find('\'', at_);
        if (end == absl::string_view::npos) return false;
        absl::StrAppend(word, text_.substr(at_, end - at_));
        at_ = end + 1;
      } else if (c == '"') {
        if (!DoubleQuoted(word)) return false;
      } else if (c == '\\') {
        if (at_ >= text_.size()) return false;
        if (text_[at_++] == '\n') {
          if (!in_word_) return true;
          continue;
        }
        word->push_back(text_[at_ - 1]);
      } else {
        word->push_back(c);
      }
      in_word_ = true;
    }
    return true;
  }

  bool DoubleQuoted(std::string* word) {
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') return true;
      if (c != '\\') {
        word->push_back(c);
        continue;
      }
      if (at_ >= text_.size()) return false;
      const char escaped = text_[at_++];
      if (escaped == '\n') continue;
      if (!absl::StrContains("$`\"\\", escaped)) word->push_back('\\');
      word->push_back(escaped);
    }
    return false;
  }

  const absl::string_view text_;
  size_t at_ = 0;
  bool in_word_ = false;  // Word has found something.
};

}  // namespace

std::optional<std::vector<std::string>> SplitExample(absl::string_view text) {
  return Splitter(text).Split();
}

}  // namespace troika::policy
