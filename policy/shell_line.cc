#include "policy/shell_line.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"

namespace troika::policy {
namespace {

constexpr size_t kMaxLineBytes = size_t{1} << 20;

enum class Class : unsigned char {
  kOther,   // Not understood outside of quotes.
  kPlain,   // Stands for itself.
  kExpand,  // The shell may make other words of the word: * ? ~ ^
  kEnd,     // Ends a word: blanks and separators.
  kQuote,   // Quotes and the backslash.
};

constexpr std::array<Class, 256> MakeClasses() {
  std::array<Class, 256> classes{};
  for (int c = 'a'; c <= 'z'; ++c) classes[c] = Class::kPlain;
  for (int c = 'A'; c <= 'Z'; ++c) classes[c] = Class::kPlain;
  for (int c = '0'; c <= '9'; ++c) classes[c] = Class::kPlain;
  for (const char c : {'_', '-', '.', '/', ':', ',', '+', '@', '%', '='}) {
    classes[c] = Class::kPlain;
  }
  for (const char c : {'*', '?', '~', '^'}) classes[c] = Class::kExpand;
  for (const char c : {' ', '\t', '\n', ';', '|', '&'}) {
    classes[c] = Class::kEnd;
  }
  for (const char c : {'\'', '"', '\\'}) classes[c] = Class::kQuote;
  return classes;
}
constexpr std::array<Class, 256> kClasses = MakeClasses();

Class ClassOf(char c) { return kClasses[static_cast<unsigned char>(c)]; }

// Says what a character of Class::kOther means.
std::string OtherProblem(char c) {
  switch (c) {
    case '$':
    case '`':
      return "it has a variable or a substitution";
    case '<':
    case '>':
      return "it redirects input or output";
    case '(':
    case ')':
    case '{':
    case '}':
      return "it has brackets, which group or expand";
    case '#':
      return "it has a comment";
    default:
      break;
  }
  if (absl::ascii_isgraph(c)) {
    return absl::StrCat("it has the special character ",
                        absl::string_view(&c, 1));
  }
  return "it has an unusual character outside of quotes";
}

bool IsControl(char c) {
  return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') ||
         c == 0x7F;
}

}  // namespace

ShellLine::ShellLine(absl::string_view text) : text_(text) { Parse(); }

bool ShellLine::Fail(absl::string_view problem) {
  problem_ = std::string(problem);
  return false;
}

void ShellLine::Parse() {
  if (text_.size() > kMaxLineBytes) {
    Fail("it is longer than 1 MiB");
    return;
  }
  for (const char c : text_) {
    if (!IsControl(c)) continue;
    Fail("it has control characters");
    return;
  }
  if (!json::IsValidUtf8(text_)) {
    Fail("it is not UTF-8");
    return;
  }
  words_.reserve(std::min<size_t>(text_.size() / 4 + 1, 64 << 10));
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == ' ' || c == '\t') {
      ++at_;
    } else if (ClassOf(c) == Class::kEnd) {
      if (!Separator()) return;
    } else if (!ReadWord()) {
      return;
    }
  }
  if (!EndCommand()) return;
  if (needs_command_) {
    Fail("it ends in the middle of a command");
  } else if (begins_.empty()) {
    Fail("it is empty");
  }
}

// Reads ; | && || or an end of line.
bool ShellLine::Separator() {
  const char c = text_[at_++];
  const bool empty = words_.size() == command_begin_;
  if (c == '\n') {
    if (empty) return true;  // Also after &&, || and |.
    return EndCommand();
  }
  const bool twice = at_ < text_.size() && text_[at_] == c;
  if (c == '&' && !twice) return Fail("it runs something in the background");
  if (empty) return Fail("a separator has no command before it");
  if (!EndCommand()) return false;
  if (c == ';') {
    return !twice || Fail("it has ;;");
  }
  if (twice) ++at_;
  needs_command_ = true;
  return true;
}

bool ShellLine::EndCommand() {
  if (words_.size() == command_begin_) return true;
  const absl::Span<const CommandWord> command =
      absl::MakeConstSpan(words_).subspan(command_begin_);
  const absl::string_view program = command[0].text;
  std::string problem = BuiltinProblem(command);
  if (!problem.empty()) return Fail(problem);
  if (changed_folder_ && absl::StrContains(program, '/') && program[0] != '/') {
    return Fail(absl::StrCat("it runs ", program, " after cd, which is then ",
                             "another file"));
  }
  changed_folder_ |= program == "cd" || program == "chdir";
  begins_.push_back(command_begin_);
  command_begin_ = complete_ = words_.size();
  needs_command_ = false;
  return true;
}

// Reads a word that is one quoted text without escapes. Returns false if it is
// something else; then nothing is read.
bool ShellLine::QuotedSlice(CommandWord* word) {
  const char quote = text_[at_];
  if (quote != '\'' && quote != '"') return false;
  const size_t end = quote == '"' ? text_.find_first_of("\"\\$`", at_ + 1)
                                  : text_.find('\'', at_ + 1);
  if (end == absl::string_view::npos || text_[end] != quote ||
      (end + 1 < text_.size() && ClassOf(text_[end + 1]) != Class::kEnd)) {
    return false;
  }
  word->text = text_.substr(at_ + 1, end - at_ - 1);
  at_ = end + 1;
  return true;
}

bool ShellLine::ReadWord() {
  const size_t begin = at_;
  // The common case: the word is a slice of the text.
  while (at_ < text_.size() && ClassOf(text_[at_]) == Class::kPlain) ++at_;
  const bool whole = at_ == text_.size() || ClassOf(text_[at_]) == Class::kEnd;
  CommandWord word = {.text = text_.substr(begin, at_ - begin)};
  if (!whole && !(at_ == begin && QuotedSlice(&word))) {
    std::string joined(word.text);
    while (at_ < text_.size() && ClassOf(text_[at_]) != Class::kEnd) {
      const char c = text_[at_];
      switch (ClassOf(c)) {
        case Class::kPlain:
          joined.push_back(c);
          ++at_;
          break;
        case Class::kExpand:
          if (c == '~' && (at_ == begin || text_[at_ - 1] == ':' ||
                           text_[at_ - 1] == '=')) {
            return Fail("~ stands for a folder");
          }
          word.literal = false;
          joined.push_back(c);
          ++at_;
          break;
        case Class::kQuote:
          ++at_;
          if (c == '\'') {
            if (!SingleQuoted(&joined)) return false;
          } else if (c == '"') {
            if (!DoubleQuoted(&joined)) return false;
          } else {
            const char escaped = at_ < text_.size() ? text_[at_] : '\0';
            if (!absl::ascii_ispunct(escaped) && escaped != ' ') {
              return Fail(
                  "it has a backslash before a character that needs "
                  "none");
            }
            joined.push_back(escaped);
            ++at_;
          }
          break;
        default:
          return Fail(OtherProblem(c));
      }
    }
    word.text = joined_.emplace_back(std::move(joined));
  }
  if (text_[begin] == '=' && word.text != "=")
    return Fail("a word begins with =");
  if (words_.size() == command_begin_) {
    if (!word.literal) return Fail("the program's name is a pattern");
    if (absl::StrContains(word.text, '=')) return Fail("it sets a variable");
    // `bash -c -x` takes it as an option; % names a job.
    if (word.text.empty() || absl::StrContains("-+%", word.text[0])) {
      return Fail("the program's name is empty or begins with -, + or %");
    }
  }
  words_.push_back(word);
  return true;
}

bool ShellLine::SingleQuoted(std::string* joined) {
  const size_t end = text_.find('\'', at_);
  if (end == absl::string_view::npos) return Fail("a quote does not end");
  absl::StrAppend(joined, text_.substr(at_, end - at_));
  at_ = end + 1;
  if (at_ < text_.size() && text_[at_] == '\'') {
    return Fail("two single quotes meet, which zsh may read as one character");
  }
  return true;
}

bool ShellLine::DoubleQuoted(std::string* joined) {
  while (at_ < text_.size()) {
    const char c = text_[at_++];
    if (c == '"') return true;
    if (c == '$' || c == '`') return Fail(OtherProblem(c));
    if (c != '\\') {
      joined->push_back(c);
      continue;
    }
    const char escaped = at_ < text_.size() ? text_[at_] : '\0';
    if (escaped == '\n') return Fail("a backslash joins two lines");
    if (absl::StrContains("$`\"\\", escaped) && escaped != '\0') {
      joined->push_back(escaped);
      ++at_;
    } else {
      joined->push_back('\\');
    }
  }
  return Fail("a quote does not end");
}

}  // namespace troika::policy
