#include "base/json.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/json_text.h"
#include "rapidjson/error/en.h"
#include "rapidjson/reader.h"

namespace troika::json {
namespace {

using internal::Node;
using ::rapidjson::SizeType;

// RapidJSON's SIMD scan reads whole blocks of 16 bytes.
constexpr size_t kPadding = 32;
// Buffers that a huge line has grown beyond this are freed at the next line.
constexpr size_t kKeptBytes = size_t{1} << 20;

// Writes the reader's events into the tree. A method that returns false ends
// the parse.
class TreeBuilder {
 public:
  TreeBuilder(rapidjson::InsituStringStream& in, Node* nodes, size_t capacity)
      : in_(in), nodes_(nodes), capacity_(capacity) {}

  bool too_deep() const { return too_deep_; }

  bool Null() { return Scalar(Type::kNull, nullptr, 0); }
  bool Bool(bool b) {
    if (!Scalar(Type::kBool, nullptr, 0)) return false;
    nodes_[size_ - 1].boolean = b;
    return true;
  }
  bool RawNumber(const char* text, SizeType size, bool) {
    return Scalar(Type::kNumber, text, size);
  }
  bool String(const char* text, SizeType size, bool) {
    return Scalar(Type::kString, text, size);
  }
  bool Key(const char* text, SizeType size, bool) {
    return Scalar(Type::kString, text, size);
  }
  bool StartObject() { return Open(Type::kObject); }
  bool EndObject(SizeType count) { return Close(count); }
  bool StartArray() { return Open(Type::kArray); }
  bool EndArray(SizeType count) { return Close(count); }

  // Numbers stay text, so the reader calls none of these.
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(int64_t) { return false; }
  bool Uint64(uint64_t) { return false; }
  bool Double(double) { return false; }

 private:
  bool Scalar(Type type, const char* text, SizeType size) {
    if (size_ == capacity_) return false;
    Node& node = nodes_[size_++];
    node.type = type;
    node.size = size;
    node.text = text;
    return true;
  }
  bool Open(Type type) {
    if (depth_ == kMaxDepth) {
      too_deep_ = true;
      return false;
    }
    if (size_ == capacity_) return false;
    open_[depth_++] = size_;
    Node& node = nodes_[size_++];
    node.type = type;
    node.begin = static_cast<uint32_t>(in_.Tell() - 1);
    return true;
  }
  bool Close(SizeType count) {
    Node& node = nodes_[open_[--depth_]];
    node.size = count;
    node.next = static_cast<uint32_t>(size_);
    node.end = static_cast<uint32_t>(in_.Tell());
    return true;
  }

  rapidjson::InsituStringStream& in_;
  Node* const nodes_;
  const size_t capacity_;
  size_t size_ = 0;
  size_t open_[kMaxDepth];
  int depth_ = 0;
  bool too_deep_ = false;
};

// JSON allows no other control character, neither in strings nor between
// values, and RapidJSON takes a NUL for the end of the text.
bool IsForbidden(unsigned char c) {
  return c < 0x20 && c != '\t' && c != '\n' && c != '\r';
}

absl::Status CheckControlCharacters(absl::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (IsForbidden(text[i])) {
      return absl::InvalidArgumentError(absl::StrCat(
          "control character 0x",
          absl::Hex(static_cast<unsigned char>(text[i])), " at byte ", i));
    }
  }
  return absl::OkStatus();
}

// RapidJSON 1.1.0 refuses a lone first half of a surrogate pair, but writes a
// lone second half as three bytes that are not UTF-8.
bool HoldsSurrogate(absl::string_view utf8) {
  size_t lead = utf8.find('\xED');
  while (lead != absl::string_view::npos && lead + 1 < utf8.size()) {
    if (static_cast<unsigned char>(utf8[lead + 1]) >= 0xA0) return true;
    lead = utf8.find('\xED', lead + 1);
  }
  return false;
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
  if (buffer_.size() > kKeptBytes) {
    buffer_ = {};
    tree_ = {};
  }
  if (buffer_.size() < bytes + kPadding) {
    buffer_.resize(2 * bytes + kPadding);
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
  if (CopyAndFindControl(text, buffer_.data())) {
    const absl::Status allowed = CheckControlCharacters(text);
    if (!allowed.ok()) return allowed;
  }
  std::memset(buffer_.data() + text.size(), 0, kPadding);
  tree_.source = text;

  rapidjson::InsituStringStream in(buffer_.data());
  TreeBuilder builder(in, tree_.nodes.get(), tree_.capacity);
  rapidjson::Reader reader;
  constexpr unsigned kFlags =
      rapidjson::kParseInsituFlag | rapidjson::kParseNumbersAsStringsFlag;
  const rapidjson::ParseResult result = reader.Parse<kFlags>(in, builder);
  if (builder.too_deep()) {
    return absl::InvalidArgumentError(
        absl::StrCat("nested deeper than ", kMaxDepth, " levels"));
  }
  if (result.IsError()) {
    return absl::InvalidArgumentError(
        absl::StrCat(rapidjson::GetParseError_En(result.Code()), " (byte ",
                     result.Offset(), ")"));
  }
  if (HoldsSurrogate({buffer_.data(), text.size()})) {
    return absl::InvalidArgumentError("lone surrogate in a string");
  }
  return Value(&tree_, tree_.nodes.get());
}

}  // namespace troika::json
