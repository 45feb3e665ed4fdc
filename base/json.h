// All JSON that troika reads goes through this file.
//
// Strings without escapes, containers and numbers are slices of the parsed
// text, and nesting is capped. Bad input is an error value, never a crash.
//
// A line is mended, not refused, if its only faults are ones that real writers
// produce: invalid UTF-8 and lone surrogates become U+FFFD, and a number beyond
// a double's range becomes a string of its digits.
//
//   json::Parser parser;
//   absl::StatusOr<json::Value> line = parser.Parse(R"({"a":{"b":[1,"x"]}})");
//   line->Get("a").Get("b").At(1).StringOr("");   // "x"
//   line->Get("a").Get("nope").Get("b").exists();  // false
#ifndef TROIKA_BASE_JSON_H_
#define TROIKA_BASE_JSON_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace troika::json {

inline constexpr int kMaxDepth = 128;
inline constexpr size_t kMaxBytes = size_t{16} << 20;

enum class Type : uint8_t {
  kMissing,
  kNull,
  kBool,
  kNumber,
  kString,
  kArray,
  kObject,
};

absl::string_view TypeName(Type type);

namespace internal {

// One entry of the parsed tree, which is flat and in document order. In an
// object, each key is a string node that precedes its value.
struct Node {
  Type type;
  bool boolean;
  uint32_t size;   // Length of a string or number; count of a container.
  uint32_t next;   // Index after this container's last node.
  uint32_t begin;  // Offset of a container's text in the source.
  uint32_t end;
  const char* text;  // A string's or number's characters.
};

// The nodes of a document, in a buffer that only grows.
struct Tree {
  absl::string_view source;
  std::unique_ptr<Node[]> nodes;
  size_t capacity = 0;
};

}  // namespace internal

class ArrayRange;
class ObjectRange;
struct Mend;

// A cheap handle to a value of the last parsed document; valid until the parser
// parses again or the parsed bytes are destroyed. All accessors of a missing
// value return nothing, so that look-ups can be chained.
class Value {
 public:
  Value() = default;

  Type type() const { return node_ ? node_->type : Type::kMissing; }
  bool exists() const { return node_ != nullptr; }
  bool IsNull() const { return type() == Type::kNull; }
  bool IsString() const { return type() == Type::kString; }
  bool IsArray() const { return type() == Type::kArray; }
  bool IsObject() const { return type() == Type::kObject; }

  // These return nullopt if the value has another type or is out of range.
  std::optional<absl::string_view> String() const;
  std::optional<int64_t> Int() const;  // Also for 3.0 and 3e0.
  std::optional<double> Double() const;
  std::optional<bool> Bool() const;

  absl::string_view StringOr(absl::string_view fallback) const {
    return IsString() ? Characters() : fallback;
  }
  int64_t IntOr(int64_t fallback) const { return Int().value_or(fallback); }
  bool BoolOr(bool fallback) const { return Bool().value_or(fallback); }

  // Returns the first member with that name.
  Value Get(absl::string_view key) const;
  Value At(size_t index) const;
  // Number of elements of an array or members of an object; otherwise 0.
  size_t size() const;
  // These ranges are empty if the value is not an array or object.
  ArrayRange items() const;
  ObjectRange members() const;

  // The value as JSON text. Containers and numbers keep their original text.
  void AppendJson(std::string* out) const;
  std::string ToJson() const;

 private:
  friend class ArrayRange;
  friend class ObjectRange;
  friend class Parser;

  Value(const internal::Tree* tree, const internal::Node* node)
      : tree_(tree), node_(node) {}

  absl::string_view Characters() const { return {node_->text, node_->size}; }
  const internal::Node* After() const {
    return type() == Type::kArray || type() == Type::kObject
               ? tree_->nodes.get() + node_->next
               : node_ + 1;
  }

  const internal::Tree* tree_ = nullptr;
  const internal::Node* node_ = nullptr;
};

struct Member {
  absl::string_view key;
  Value value;
};

class ArrayRange {
 public:
  class Iterator {
   public:
    explicit Iterator(Value at) : at_(at) {}
    Value operator*() const { return at_; }
    Iterator& operator++() {
      at_.node_ = at_.After();
      return *this;
    }
    bool operator!=(const Iterator& other) const {
      return at_.node_ != other.at_.node_;
    }

   private:
    Value at_;
  };

  explicit ArrayRange(Value array);
  Iterator begin() const { return Iterator(first_); }
  Iterator end() const { return Iterator(last_); }

 private:
  Value first_, last_;
};

class ObjectRange {
 public:
  class Iterator {
   public:
    explicit Iterator(Value key) : key_(key) {}
    Member operator*() const {
      return {key_.Characters(), Value(key_.tree_, key_.node_ + 1)};
    }
    Iterator& operator++() {
      key_.node_ = Value(key_.tree_, key_.node_ + 1).After();
      return *this;
    }
    bool operator!=(const Iterator& other) const {
      return key_.node_ != other.key_.node_;
    }

   private:
    Value key_;
  };

  explicit ObjectRange(Value object);
  Iterator begin() const { return Iterator(first_); }
  Iterator end() const { return Iterator(last_); }

 private:
  Value first_, last_;
};

// Parses one document after the other and keeps its buffers between them, so
// that a line costs no allocation. Not thread-safe: each thread needs its own.
class Parser {
 public:
  // Borrows `text` until the next call. InvalidArgument names the fault and its
  // byte offset; ResourceExhausted means that `text` exceeds kMaxBytes.
  absl::StatusOr<Value> Parse(absl::string_view text);

 private:
  absl::Status Read(absl::string_view text, std::vector<Mend>* mends);
  void MakeRoom(size_t bytes);

  internal::Tree tree_;
  std::vector<char> unescaped_;  // The strings that had escapes.
  std::string mended_;
};

// Appends `text` as a JSON string, quotes included. Bytes that are not UTF-8
// become U+FFFD.
void AppendQuoted(absl::string_view text, std::string* out);

// Returns `text` with each invalid UTF-8 byte replaced by U+FFFD.
std::string ToValidUtf8(absl::string_view text);
bool IsValidUtf8(absl::string_view text);

}  // namespace troika::json

#endif  // TROIKA_BASE_JSON_H_
