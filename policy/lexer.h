// The tokens of a rules file: the part of Starlark that docs/policy.md lists.
#ifndef TROIKA_POLICY_LEXER_H_
#define TROIKA_POLICY_LEXER_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "policy/rules.h"

namespace troika::policy {

// Both are counted from 1; a column is a character.
struct Position {
  int line = 1;
  int column = 1;
};

struct Token {
  enum class Kind { kName, kString, kSymbol, kNewline, kEnd };

  Kind kind = Kind::kEnd;
  // A name, the value of a string, or a symbol: one of ( ) [ ] , = + ;
  std::string text;
  Position position;
  size_t begin = 0;  // Offsets into the file's text.
  size_t end = 0;

  bool Is(absl::string_view symbol) const {
    return kind == Kind::kSymbol && text == symbol;
  }
};

// Returns InvalidArgument "FILE:LINE:COLUMN: message".
absl::Status ErrorAt(absl::string_view file, Position position,
                     absl::string_view message);

class Lexer {
 public:
  // `file` is borrowed. Its text must be UTF-8.
  explicit Lexer(const FileText& file) : file_(file), text_(file.text) {}

  // Returns the next token; kEnd at the end, repeatedly. Lines end only outside
  // of brackets, and blank lines give no token.
  absl::StatusOr<Token> Next();

 private:
  absl::Status SkipBlanks();
  absl::Status CheckLineStart();
  absl::Status Escape(std::string* value);
  absl::StatusOr<Token> String(size_t begin, bool raw);
  absl::StatusOr<Token> Name();

  char Peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  void Advance(size_t bytes = 1);
  bool AtLineEnd() const;
  absl::Status Error(absl::string_view message) const {
    return ErrorAt(file_.file, position_, message);
  }

  const FileText& file_;
  const absl::string_view text_;
  size_t at_ = 0;
  Position position_;
  int brackets_ = 0;        // How many are open.
  bool line_empty_ = true;  // The line has no token so far.
};

}  // namespace troika::policy

#endif  // TROIKA_POLICY_LEXER_H_
