#include "policy/lexer.h"

#include <cstdint>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace troika::policy {
namespace {

constexpr absl::string_view kSymbols = "()[],=+;";

void AppendUtf8(uint32_t c, std::string* out) {
  if (c < 0x80) {
    out->push_back(static_cast<char>(c));
  } else if (c < 0x800) {
    out->push_back(static_cast<char>(0xC0 | (c >> 6)));
    out->push_back(static_cast<char>(0x80 | (c & 0x3F)));
  } else if (c < 0x10000) {
    out->push_back(static_cast<char>(0xE0 | (c >> 12)));
    out->push_back(static_cast<char>(0x80 | ((c >> 6) & 0x3F)));
    out->push_back(static_cast<char>(0x80 | (c & 0x3F)));
  } else {
    out->push_back(static_cast<char>(0xF0 | (c >> 18)));
    out->push_back(static_cast<char>(0x80 | ((c >> 12) & 0x3F)));
    out->push_back(static_cast<char>(0x80 | ((c >> 6) & 0x3F)));
    out->push_back(static_cast<char>(0x80 | (c & 0x3F)));
  }
}

bool IsCharacter(uint32_t c) {
  return c < 0xD800 || (c >= 0xE000 && c < 0x110000);
}

int HexDigit(char c) {
  if (absl::ascii_isdigit(c)) return c - '0';
  if (absl::ascii_isxdigit(c)) return absl::ascii_tolower(c) - 'a' + 10;
  return -1;
}

bool IsOctal(char c) { return c >= '0' && c <= '7'; }

bool IsNameStart(char c) { return absl::ascii_isalpha(c) || c == '_'; }

// Returns the value of a simple escape, or 0.
char SimpleEscape(char c) {
  switch (c) {
    case 'a':
      return '\a';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'v':
      return '\v';
    case '\\':
    case '\'':
    case '"':
      return c;
    default:
      return '\0';
  }
}

}  // namespace

absl::Status ErrorAt(absl::string_view file, Position position,
                     absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat(
      file, ":", position.line, ":", position.column, ": ", message));
}

void Lexer::Advance(size_t bytes) {
  for (; bytes > 0 && at_ < text_.size(); --bytes, ++at_) {
    const auto c = static_cast<unsigned char>(text_[at_]);
    if (c == '\n') {
      ++position_.line;
      position_.column = 1;
    } else if ((c & 0xC0) != 0x80) {
      ++position_.column;
    }
  }
}

bool Lexer::AtLineEnd() const {
  return at_ >= text_.size() || Peek() == '\n' ||
         (Peek() == '\r' && Peek(1) == '\n');
}

// A line that is more than a comment may neither be indented nor have tabs.
absl::Status Lexer::CheckLineStart() {
  size_t blanks = 0;
  while (Peek(blanks) == ' ' || Peek(blanks) == '\t') ++blanks;
  if (blanks == 0) return absl::OkStatus();
  const bool tab = Peek() == '\t';
  const Position start = position_;
  Advance(blanks);
  if (AtLineEnd() || Peek() == '#') return absl::OkStatus();
  return ErrorAt(file_.file, start,
                 tab ? "tabs are not allowed here: use spaces"
                     : "the line is indented: rules begin in the first column");
}

absl::Status Lexer::SkipBlanks() {
  while (at_ < text_.size()) {
    if (brackets_ == 0 && position_.column == 1) {
      RETURN_IF_ERROR(CheckLineStart());
    }
    const char c = Peek();
    if (c == '#') {
      while (!AtLineEnd()) Advance();
    } else if (c == '\\' && Peek(1) == '\n') {
      // What follows continues the line, so it may be indented.
      Advance(2);
      while (Peek() == ' ') Advance();
    } else if (c == '\\' && Peek(1) == '\r' && Peek(2) == '\n') {
      Advance(3);
      while (Peek() == ' ') Advance();
    } else if (c == ' ' || (c == '\r' && Peek(1) == '\n')) {
      Advance();
    } else if (c == '\n' && (brackets_ > 0 || line_empty_)) {
      Advance();
    } else if (c == '\t') {
      return Error("tabs are not allowed here: use spaces");
    } else {
      break;
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Token> Lexer::Next() {
  RETURN_IF_ERROR(SkipBlanks());
  Token token = {.position = position_, .begin = at_, .end = at_};
  if (at_ >= text_.size()) return token;
  const char c = Peek();
  if (c == '\n') {
    Advance();
    line_empty_ = true;
    token.kind = Token::Kind::kNewline;
    return token;
  }
  line_empty_ = false;
  if (c == '"' || c == '\'') return String(at_, /*raw=*/false);
  if (IsNameStart(c)) return Name();
  if (!absl::StrContains(kSymbols, c) || c == '\0') {
    if (absl::ascii_isdigit(c)) {
      return Error("numbers are not supported in rules");
    }
    if (absl::ascii_isgraph(c)) {
      return Error(absl::StrCat("`", absl::string_view(&c, 1),
                                "` is not supported in rules"));
    }
    return Error("there is a character that rules can't have here");
  }
  if (c == '(' || c == '[') ++brackets_;
  if ((c == ')' || c == ']') && brackets_ > 0) --brackets_;
  Advance();
  token.kind = Token::Kind::kSymbol;
  token.text = c;
  token.end = at_;
  return token;
}

absl::StatusOr<Token> Lexer::Name() {
  Token token = {
      .kind = Token::Kind::kName, .position = position_, .begin = at_};
  while (IsNameStart(Peek()) || absl::ascii_isdigit(Peek())) Advance();
  token.end = at_;
  token.text = std::string(text_.substr(token.begin, at_ - token.begin));
  if (Peek() != '"' && Peek() != '\'') return token;
  if (token.text == "r") return String(token.begin, /*raw=*/true);
  return ErrorAt(file_.file, token.position,
                 absl::StrCat("strings with the prefix `", token.text,
                              "` are not supported in rules"));
}

// Reads what follows a backslash, which may be nothing special.
absl::Status Lexer::Escape(std::string* value) {
  const char c = Peek();
  if (c == '\n' || (c == '\r' && Peek(1) == '\n')) {
    Advance(c == '\n' ? 1 : 2);
    return absl::OkStatus();
  }
  if (const char simple = SimpleEscape(c)) {
    Advance();
    value->push_back(simple);
    return absl::OkStatus();
  }
  uint32_t number = 0;
  if (IsOctal(c)) {
    for (int i = 0; i < 3 && IsOctal(Peek()); ++i) {
      number = number * 8 + static_cast<uint32_t>(Peek() - '0');
      Advance();
    }
    AppendUtf8(number, value);
    return absl::OkStatus();
  }
  const int digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  if (digits == 0) {
    value->push_back('\\');
    return absl::OkStatus();
  }
  for (int i = 1; i <= digits; ++i) {
    const int digit = HexDigit(Peek(i));
    if (digit < 0) {
      return Error(absl::StrCat("the escape \\", absl::string_view(&c, 1),
                                " needs ", digits, " hexadecimal digits"));
    }
    number = number * 16 + static_cast<uint32_t>(digit);
  }
  if (!IsCharacter(number)) return Error("the escape is no character");
  Advance(digits + 1);
  AppendUtf8(number, value);
  return absl::OkStatus();
}

absl::StatusOr<Token> Lexer::String(size_t begin, bool raw) {
  Token token = {.kind = Token::Kind::kString, .begin = begin};
  token.position = position_;
  token.position.column -= static_cast<int>(at_ - begin);
  const char quote = Peek();
  const bool triple = Peek(1) == quote && Peek(2) == quote;
  Advance(triple ? 3 : 1);
  while (true) {
    const char c = Peek();
    if (at_ >= text_.size() || (!triple && AtLineEnd())) {
      return ErrorAt(file_.file, token.position, "the string does not end");
    }
    if (c == quote && (!triple || (Peek(1) == quote && Peek(2) == quote))) {
      Advance(triple ? 3 : 1);
      break;
    }
    if (c == '\r') {
      // Codex drops it, too.
      Advance();
    } else if (c == '\\' && !raw) {
      Advance();
      RETURN_IF_ERROR(Escape(&token.text));
    } else if (c == '\\' && (Peek(1) == '"' || Peek(1) == '\'')) {
      // As Codex's Starlark does, and no other.
      token.text.push_back(Peek(1));
      Advance(2);
    } else if (c == '\\' && at_ + 1 < text_.size()) {
      absl::StrAppend(&token.text, text_.substr(at_, 2));
      Advance(2);
    } else {
      token.text.push_back(c);
      Advance();
    }
  }
  token.end = at_;
  return token;
}

}  // namespace troika::policy
