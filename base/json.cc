#include "base/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/json_text.h"

namespace troika::json {
namespace {

using internal::Node;

// Buffers that a huge line has grown beyond this are freed at the next line.
constexpr size_t kKeptBytes = size_t{1} << 20;

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

std::string Mended(absl::string_view text, const std::vector<Mend>& mends) {
  std::string mended;
  size_t at = 0;
  for (const Mend& mend : mends) {
    absl::StrAppend(&mended, text.substr(at, mend.begin - at), mend.text);
    at = mend.end;
  }
  absl::StrAppend(&mended, text.substr(at));
  return mended;
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
  std::vector<Mend> mends;
  absl::Status read = Read(text, &mends);
  if (read.ok() && !mends.empty()) {
    mended_ = Mended(text, mends);
    read = Read(mended_, &mends);
  }
  if (!read.ok()) return read;
  return Value(&tree_, tree_.nodes.get());
}

void Parser::MakeRoom(size_t bytes) {
  if (unescaped_.size() > kKeptBytes) {
    unescaped_ = {};
    tree_ = {};
  }
  if (unescaped_.size() < bytes + kBlockBytes) {
    unescaped_.resize(2 * bytes + kBlockBytes);
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

absl::Status Parser::Read(absl::string_view text, std::vector<Mend>* mends) {
  MakeRoom(text.size());
  tree_.source = text;
  absl::Status read = ReadTree(text, &tree_, unescaped_.data(), mends);
  return read.ok() ? read : ControlCharacterError(text, std::move(read));
}

}  // namespace troika::json
