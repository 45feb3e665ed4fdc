#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/charconv.h"
#include "absl/strings/str_cat.h"
#include "base/json_text.h"

namespace troika::json {
namespace {

using internal::Node;
using internal::Tree;

// Shorter numbers without an exponent are within a double's range.
constexpr size_t kMaxSafeDigits = 300;

// Returns the value of four hexadecimal digits.
std::optional<uint32_t> HexUnit(const char* digits, const char* end) {
  if (end - digits < 4) return std::nullopt;
  uint32_t unit = 0;
  const std::from_chars_result r =
      std::from_chars(digits, digits + 4, unit, 16);
  if (r.ptr != digits + 4) return std::nullopt;
  return unit;
}

char* AppendUtf8(uint32_t code, char* to) {
  const auto put = [&](uint32_t byte) { *to++ = static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
    return to;
  }
  if (code < 0x800) {
    put(0xC0 | code >> 6);
  } else {
    if (code < 0x10000) {
      put(0xE0 | code >> 12);
    } else {
      put(0xF0 | code >> 18);
      put(0x80 | (code >> 12 & 0x3F));
    }
    put(0x80 | (code >> 6 & 0x3F));
  }
  put(0x80 | (code & 0x3F));
  return to;
}

// Maps a character to the one that it stands for after a backslash; to 0 if
// there is none.
constexpr std::array<char, 256> kUnescaped = [] {
  std::array<char, 256> table = {};
  table['"'] = '"';
  table['\\'] = '\\';
  table['/'] = '/';
  table['b'] = '\b';
  table['f'] = '\f';
  table['n'] = '\n';
  table['r'] = '\r';
  table['t'] = '\t';
  return table;
}();

// Whether a double can't hold the number because it is too large.
bool IsBeyondDouble(absl::string_view number) {
  double value = 0;
  const absl::from_chars_result r =
      absl::from_chars(number.data(), number.data() + number.size(), value);
  return r.ec == std::errc::result_out_of_range && std::abs(value) > 1;
}

class Reader {
 public:
  Reader(absl::string_view text, Tree* tree, char* unescaped,
         std::vector<Mend>* mends)
      : begin_(text.data()),
        end_(begin_ + text.size()),
        at_(begin_),
        nodes_(tree->nodes.get()),
        free_(nodes_),
        nodes_end_(nodes_ + tree->capacity),
        unescaped_(unescaped),
        mends_(*mends) {}

  absl::Status Read() {
    SkipSpace();
    if (at_ == end_) return absl::InvalidArgumentError("the text is empty");
    if (ReadValue()) {
      SkipSpace();
      if (at_ == end_) return absl::OkStatus();
      error_ = "another value follows the first";
    }
    return absl::InvalidArgumentError(
        absl::StrCat(error_, " (byte ", at_ - begin_, ")"));
  }

 private:
  bool Fail(const char* error) {
    error_ = error;
    return false;
  }
  // Returns 0 at the end; no text may contain this character.
  char Next() const { return at_ == end_ ? '\0' : *at_; }
  bool Take(char c) {
    if (Next() != c) return false;
    ++at_;
    return true;
  }
  void SkipSpace() {
    while (at_ != end_ &&
           (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) {
      ++at_;
    }
  }

  bool Add(Type type, const char* text, size_t size) {
    if (free_ == nodes_end_) return Fail("too many values");
    free_->type = type;
    free_->size = static_cast<uint32_t>(size);
    free_->text = text;
    ++free_;
    return true;
  }

  bool ReadValue() {
    switch (Next()) {
      case '{':
        return ReadContainer(Type::kObject, '}');
      case '[':
        return ReadContainer(Type::kArray, ']');
      case '"':
        return ReadString();
      case 't':
        return ReadWord("true", Type::kBool);
      case 'f':
        return ReadWord("false", Type::kBool);
      case 'n':
        return ReadWord("null", Type::kNull);
      default:
        return ReadNumber();
    }
  }

  bool ReadContainer(Type type, char close) {
    if (depth_ == kMaxDepth) return Fail("nested deeper than 128 levels");
    static_assert(kMaxDepth == 128);
    Node* const node = free_;
    const char* const open = at_++;
    if (!Add(type, nullptr, 0)) return false;
    ++depth_;
    uint32_t count = 0;
    SkipSpace();
    if (!Take(close)) {
      do {
        SkipSpace();
        if (type == Type::kObject && !ReadKey()) return false;
        if (!ReadValue()) return false;
        ++count;
        SkipSpace();
      } while (Take(','));
      if (!Take(close)) return Fail("a comma or a closing bracket is missing");
    }
    --depth_;
    node->size = count;
    node->next = static_cast<uint32_t>(free_ - nodes_);
    node->begin = static_cast<uint32_t>(open - begin_);
    node->end = static_cast<uint32_t>(at_ - begin_);
    return true;
  }

  bool ReadKey() {
    if (Next() != '"') return Fail("the name of a member is missing");
    if (!ReadString()) return false;
    SkipSpace();
    if (!Take(':')) return Fail("a colon is missing after a name");
    SkipSpace();
    return true;
  }

  bool ReadWord(absl::string_view word, Type type) {
    if (static_cast<size_t>(end_ - at_) < word.size() ||
        std::memcmp(at_, word.data(), word.size()) != 0) {
      return Fail("Invalid value.");
    }
    if (!Add(type, nullptr, 0)) return false;
    free_[-1].boolean = *at_ == 't';
    at_ += word.size();
    return true;
  }

  bool ReadDigits() {
    const char* const first = at_;
    while (absl::ascii_isdigit(Next())) ++at_;
    return at_ != first;
  }

  bool ReadNumber() {
    const char* const first = at_;
    Take('-');
    if (!Take('0') && !ReadDigits()) return Fail("Invalid value.");
    if (Take('.') && !ReadDigits()) return Fail("a fraction has no digits");
    const bool has_exponent = Take('e') || Take('E');
    if (has_exponent) {
      if (!Take('-')) Take('+');
      if (!ReadDigits()) return Fail("an exponent has no digits");
    }
    const size_t size = at_ - first;
    const absl::string_view number(first, size);
    if ((has_exponent || size > kMaxSafeDigits) && IsBeyondDouble(number)) {
      AddMend(first, absl::StrCat("\"", number, "\""));
    }
    return Add(Type::kNumber, first, size);
  }

  bool ReadString() {
    const char* const first = ++at_;
    at_ = FindSpecial(at_, end_);
    if (Next() == '\\') return ReadEscapedString(first);
    if (Next() != '"') return Fail("a string has no end");
    return Add(Type::kString, first, at_++ - first);
  }

  // Reads on from the first escape in the string that begins at `first`.
  bool ReadEscapedString(const char* first) {
    char* const text = unescaped_;
    unescaped_ = std::copy(first, at_, unescaped_);
    while (Take('\\')) {
      if (!ReadEscape()) return false;
      CopyBlocks();
      const char* const plain = at_;
      at_ = FindSpecial(at_, end_);
      unescaped_ = std::copy(plain, at_, unescaped_);
    }
    if (!Take('"')) return Fail("a string has no end");
    return Add(Type::kString, text, unescaped_ - text);
  }

  // Copies text and simple escapes, up to something else or to the last blocks.
  // Tools print an escape every few dozen bytes: their places in a block are
  // found all at once, because a loop that ends at each would often be
  // predicted wrongly.
  void CopyBlocks() {
    const char* at = at_;
    char* to = unescaped_;
    while (end_ - at >= 2 * kBlockBytes) {
      const char* const block_end = at + kBlockBytes;
      const char* const block = at;
      for (uint64_t mask = SpecialMask(block); mask != 0;) {
        const int i = __builtin_ctzll(mask);
        const char* const special = block + i;
        CopyBlock(at, to);
        to += special - at;
        at = special;
        const char c = kUnescaped[static_cast<uint8_t>(special[1])];
        if (*special != '\\' || c == 0) {
          at_ = at;
          unescaped_ = to;
          return;
        }
        *to++ = c;
        at += 2;
        mask &= ~(uint64_t{3} << i);
      }
      if (at < block_end) {
        CopyBlock(at, to);
        to += block_end - at;
        at = block_end;
      }
    }
    at_ = at;
    unescaped_ = to;
  }

  bool ReadEscape() {
    const char c = Next();
    if (c == 'u') return ReadUnicodeEscape();
    *unescaped_ = kUnescaped[static_cast<uint8_t>(c)];
    if (*unescaped_ == 0) return Fail("Invalid escape character in string.");
    ++unescaped_;
    ++at_;
    return true;
  }

  bool ReadUnicodeEscape() {
    const char* const escape = at_ - 1;
    const std::optional<uint32_t> unit = HexUnit(at_ + 1, end_);
    if (!unit) return Fail("\\u needs four hexadecimal digits");
    uint32_t code = *unit;
    at_ += 5;
    if (code >= 0xD800 && code < 0xE000) {
      const std::optional<uint32_t> low =
          code < 0xDC00 && end_ - at_ >= 6 && at_[0] == '\\' && at_[1] == 'u'
              ? HexUnit(at_ + 2, end_)
              : std::nullopt;
      if (low && *low >= 0xDC00 && *low < 0xE000) {
        code = 0x10000 + ((code - 0xD800) << 10) + (*low - 0xDC00);
        at_ += 6;
      } else {
        code = 0xFFFD;
        AddMend(escape, "\\ufffd");
      }
    }
    unescaped_ = AppendUtf8(code, unescaped_);
    return true;
  }

  // Replaces the text from `from` on that was read last.
  void AddMend(const char* from, std::string text) {
    mends_.push_back({.begin = static_cast<size_t>(from - begin_),
                      .end = static_cast<size_t>(at_ - begin_),
                      .text = std::move(text)});
  }

  const char* const begin_;
  const char* const end_;
  const char* at_;
  Node* const nodes_;
  Node* free_;  // The next node to fill.
  Node* const nodes_end_;
  char* unescaped_;  // End of the last unescaped string.
  std::vector<Mend>& mends_;
  int depth_ = 0;
  const char* error_ = "";
};

}  // namespace

absl::Status ReadTree(absl::string_view text, Tree* tree, char* unescaped,
                      std::vector<Mend>* mends) {
  mends->clear();
  return Reader(text, tree, unescaped, mends).Read();
}

}  // namespace troika::json
