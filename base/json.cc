#include "base/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/json_text.h"

namespace troika::json {
namespace {

using internal::Node;

// Text is copied in blocks, the last of which may reach beyond its end.
constexpr size_t kPadding = 16;
// Buffers that a huge line has grown beyond this are freed at the next line.
constexpr size_t kKeptBytes = size_t{1} << 20;
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

// Returns the character that a backslash and `c` stand for; 0 if there is none.
char Unescaped(char c) {
  switch (c) {
    case '"':
    case '\\':
    case '/':
      return c;
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
    default:
      return 0;
  }
}

// Reads a text in UTF-8 into a tree. Strings without escapes borrow from the
// text; the others are written to `unescaped`, which has room for the text and
// kPadding.
class Reader {
 public:
  Reader(absl::string_view text, internal::Tree* tree, char* unescaped)
      : begin_(text.data()),
        end_(begin_ + text.size()),
        at_(begin_),
        nodes_(tree->nodes.get()),
        free_(nodes_),
        nodes_end_(nodes_ + tree->capacity),
        unescaped_(unescaped) {}

  absl::Status Read() {
    SkipSpace();
    if (at_ == end_) return absl::InvalidArgumentError("there is no value");
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
    if ((has_exponent || size > kMaxSafeDigits) &&
        IsBeyondDouble({first, size})) {
      return Fail("a number is too large");
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
    std::memcpy(unescaped_, first, at_ - first);
    unescaped_ += at_ - first;
    while (Take('\\')) {
      if (!ReadEscape()) return false;
      unescaped_ = CopyToSpecial(&at_, end_, unescaped_);
    }
    if (!Take('"')) return Fail("a string has no end");
    return Add(Type::kString, text, unescaped_ - text);
  }

  bool ReadEscape() {
    const char c = Next();
    if (c == 'u') return ReadUnicodeEscape();
    *unescaped_ = Unescaped(c);
    if (*unescaped_ == 0) return Fail("Invalid escape character in string.");
    ++unescaped_;
    ++at_;
    return true;
  }

  bool ReadUnicodeEscape() {
    const std::optional<uint32_t> unit = HexUnit(at_ + 1, end_);
    if (!unit) return Fail("\\u needs four hexadecimal digits");
    uint32_t code = *unit;
    at_ += 5;
    if (code >= 0xD800 && code < 0xE000) {
      const std::optional<uint32_t> low =
          code < 0xDC00 && end_ - at_ >= 6 && at_[0] == '\\' && at_[1] == 'u'
              ? HexUnit(at_ + 2, end_)
              : std::nullopt;
      if (!low || *low < 0xDC00 || *low >= 0xE000) {
        return Fail("lone surrogate in a string");
      }
      code = 0x10000 + ((code - 0xD800) << 10) + (*low - 0xDC00);
      at_ += 6;
    }
    unescaped_ = AppendUtf8(code, unescaped_);
    return true;
  }

  const char* const begin_;
  const char* const end_;
  const char* at_;
  Node* const nodes_;
  Node* free_;  // The next node to fill.
  Node* const nodes_end_;
  char* unescaped_;  // End of the last unescaped string.
  int depth_ = 0;
  const char* error_ = "";
};

// JSON allows no other control character, neither in strings nor between
// values.
bool IsForbidden(unsigned char c) {
  return c < 0x20 && c != '\t' && c != '\n' && c != '\r';
}

// Returns an error that names the first control character, or `otherwise`.
absl::Status ControlCharacterError(absl::string_view text,
                                   absl::Status otherwise) {
  const auto it = std::find_if(text.begin(), text.end(), IsForbidden);
  if (it == text.end()) return otherwise;
  return absl::InvalidArgumentError(absl::StrCat(
      "control character 0x", absl::Hex(static_cast<unsigned char>(*it)),
      " at byte ", it - text.begin()));
}

template <typename T>
std::optional<T> FromChars(absl::string_view text) {
  T value;
  const char* const end = text.data() + text.size();
  const std::from_chars_result r = std::from_chars(text.data(), end, value);
  if (r.ec != std::errc() || r.ptr != end) return std::nullopt;
  return value;
}

}  // namespace

absl::string_view TypeName(Type type) {
  switch (type) {
    case Type::kMissing:
      return "nothing";
    case Type::kNull:
      return "null";
    case Type::kBool:
      return "bool";
    case Type::kNumber:
      return "number";
    case Type::kString:
      return "string";
    case Type::kArray:
      return "array";
    case Type::kObject:
      return "object";
  }
  return "?";
}

std::optional<absl::string_view> Value::String() const {
  if (!IsString()) return std::nullopt;
  return Characters();
}

std::optional<int64_t> Value::Int() const {
  if (type() != Type::kNumber) return std::nullopt;
  if (const auto i = FromChars<int64_t>(Characters())) return i;
  const auto d = FromChars<double>(Characters());
  // 2^63 is the first double past the range.
  if (!d || *d != std::floor(*d) || std::abs(*d) >= 9223372036854775808.0) {
    return std::nullopt;
  }
  return static_cast<int64_t>(*d);
}

std::optional<double> Value::Double() const {
  if (type() != Type::kNumber) return std::nullopt;
  return FromChars<double>(Characters());
}

std::optional<bool> Value::Bool() const {
  if (type() != Type::kBool) return std::nullopt;
  return node_->boolean;
}

Value Value::Get(absl::string_view key) const {
  for (const Member& member : members()) {
    if (member.key == key) return member.value;
  }
  return Value();
}

Value Value::At(size_t index) const {
  for (const Value item : items()) {
    if (index-- == 0) return item;
  }
  return Value();
}

size_t Value::size() const { return IsArray() || IsObject() ? node_->size : 0; }

ArrayRange Value::items() const { return ArrayRange(*this); }
ObjectRange Value::members() const { return ObjectRange(*this); }

ArrayRange::ArrayRange(Value array) {
  if (!array.IsArray()) return;
  first_ = Value(array.tree_, array.node_ + 1);
  last_ = Value(array.tree_, array.After());
}

ObjectRange::ObjectRange(Value object) {
  if (!object.IsObject()) return;
  first_ = Value(object.tree_, object.node_ + 1);
  last_ = Value(object.tree_, object.After());
}

void Value::AppendJson(std::string* out) const {
  switch (type()) {
    case Type::kMissing:
    case Type::kNull:
      out->append("null");
      return;
    case Type::kBool:
      out->append(node_->boolean ? "true" : "false");
      return;
    case Type::kNumber:
      out->append(node_->text, node_->size);
      return;
    case Type::kString:
      AppendQuoted(Characters(), out);
      return;
    case Type::kArray:
    case Type::kObject:
      out->append(tree_->source.data() + node_->begin,
                  node_->end - node_->begin);
      return;
  }
}

std::string Value::ToJson() const {
  std::string out;
  AppendJson(&out);
  return out;
}

absl::StatusOr<Value> Parser::Parse(absl::string_view text) {
  if (text.size() > kMaxBytes) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "JSON of ", text.size(), " bytes, over the limit of ", kMaxBytes));
  }
  if (!IsValidUtf8(text)) {
    mended_ = ToValidUtf8(text);
    text = mended_;
  }
  absl::StatusOr<Value> parsed = ParseChecked(text);
  if (parsed.ok() || !MendEscapesAndNumbers(text, &mended_)) return parsed;
  return ParseChecked(mended_);
}

void Parser::MakeRoom(size_t bytes) {
  if (unescaped_.size() > kKeptBytes) {
    unescaped_ = {};
    tree_ = {};
  }
  if (unescaped_.size() < bytes + kPadding) {
    unescaped_.resize(2 * bytes + kPadding);
  }
  // Each value takes at least one byte, and another byte ends it or separates
  // it from the next one. Only containers that are still open lack the second
  // byte.
  const size_t most = bytes / 2 + kMaxDepth + 1;
  if (tree_.capacity < most) {
    tree_.capacity = 2 * most;
    tree_.nodes = std::make_unique_for_overwrite<Node[]>(tree_.capacity);
  }
}

absl::StatusOr<Value> Parser::ParseChecked(absl::string_view text) {
  MakeRoom(text.size());
  tree_.source = text;
  const absl::Status read = Reader(text, &tree_, unescaped_.data()).Read();
  if (!read.ok()) return ControlCharacterError(text, read);
  return Value(&tree_, tree_.nodes.get());
}

}  // namespace troika::json
