// Converts structs with a table of their fields (base/fields.h) from and to
// JSON objects.
//
//   json::ToJson(Point{.x = 1})   // {"x":1}
//
//   json::FieldReader reader;
//   reader.Read(value, &point);
//   if (!reader.problem().empty()) ...   // "x must be a number"
#ifndef TROIKA_BASE_JSON_FIELDS_H_
#define TROIKA_BASE_JSON_FIELDS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/fields.h"
#include "base/json.h"
#include "base/json_writer.h"

namespace troika::json {

// Reads objects into structs. Members that are missing, null, of another type
// or out of range keep their default. Members without a field are ignored.
class FieldReader {
 public:
  template <typename T>
  void Read(Value object, T* out) {
    ForEachField<T>([&](const auto& field) {
      const Value value = object.Get(field.name);
      if (!value.exists()) return;
      const std::string wanted = ReadValue(value, field.Of(*out));
      if (wanted.empty() || value.IsNull() || !problem_.empty()) return;
      problem_ = absl::StrCat(field.name, " must be ", wanted);
    });
  }

  // Describes the first value that could not be read: "model must be a string".
  const std::string& problem() const { return problem_; }
  // Whether an enum had a name that is not in its table.
  bool has_unknown_name() const { return has_unknown_name_; }

 private:
  // These return a description of the expected value, or "" if it was read.
  std::string ReadValue(Value value, std::string& out);
  std::string ReadValue(Value value, bool& out);
  // Reads a count from 0 to 2^30, so that adding to it can't overflow.
  std::string ReadValue(Value value, int& out);
  std::string ReadValue(Value value, std::optional<int>& out);
  // These also read strings, because protobuf writes int64 that way.
  std::string ReadValue(Value value, int64_t& out);
  std::string ReadValue(Value value, double& out);
  std::string ReadValue(Value value, absl::Time& out);
  std::string ReadValue(Value value, absl::Duration& out);
  std::string ReadValue(Value value, std::vector<std::string>& out);
  std::string ReadValue(Value value, std::map<std::string, std::string>& out);
  std::string ReadValue(Value value, JsonText<std::string> out) {
    out.text = value.ToJson();
    return "";
  }
  std::string ReadValue(Value value, UnitCount<absl::Duration> out);
  std::string ReadValue(Value value,
                        UnitCount<std::optional<absl::Duration>> out);
  template <typename T>
  std::string ReadValue(Value value, ValueIfSet<T> out) {
    return ReadValue(value, out.value);
  }
  template <HasNames E>
  std::string ReadValue(Value value, E& out) {
    const std::optional<E> named = FromName<E>(value.StringOr(""));
    if (named) out = *named;
    has_unknown_name_ |= !named;
    return named ? "" : OneOf(kEnumNames<E>);
  }
  template <typename T>
  std::string ReadValue(Value value, std::optional<T>& out) {
    T read = {};
    std::string wanted = ReadValue(value, read);
    if (wanted.empty()) out = std::move(read);
    return wanted;
  }
  template <HasFields T>
  std::string ReadValue(Value value, T& out) {
    Read(value, &out);
    return value.IsObject() ? "" : "an object";
  }
  template <HasFields T>
  std::string ReadValue(Value value, std::vector<T>& out) {
    for (const Value item : value.items()) {
      if (item.IsObject()) Read(item, &out.emplace_back());
    }
    return value.IsArray() ? "" : "an array";
  }
  static std::string OneOf(absl::Span<const absl::string_view> names);

  std::string problem_;
  bool has_unknown_name_ = false;
};

// These return the JSON text of a value.
std::string ToJson(const std::string& value);
std::string ToJson(const std::map<std::string, std::string>& value);
inline std::string ToJson(bool value) { return value ? "true" : "false"; }
inline std::string ToJson(int64_t value) { return absl::StrCat(value); }
inline std::string ToJson(int value) { return absl::StrCat(value); }
inline std::string ToJson(const JsonText<const std::string>& value) {
  return value.text;
}
std::string ToJson(absl::Time value);
std::string ToJson(const UnitCount<const absl::Duration>& value);
std::string ToJson(const UnitCount<const std::optional<absl::Duration>>& value);
template <HasNames E>
std::string ToJson(E value) {
  return ToJson(std::string(NameOf(value)));
}
template <HasFields T>
std::string ToJson(const T& value);
template <typename T>
std::string ToJson(const std::optional<T>& value) {
  return ToJson(*value);
}
template <typename T>
std::string ToJson(const ValueIfSet<T>& value) {
  return ToJson(value.value);
}
template <typename T>
std::string ToJson(const std::vector<T>& values) {
  const auto append = [](std::string* out, const T& value) {
    out->append(ToJson(value));
  };
  return absl::StrCat("[", absl::StrJoin(values, ",", append), "]");
}

// Adds the fields that differ from their default.
template <HasFields T>
void WriteFields(const T& value, ObjectWriter* out) {
  ForEachField<T>([&](const auto& field) {
    if (!IsDefault(field.Of(value))) {
      out->Json(field.name, ToJson(field.Of(value)));
    }
  });
}

template <HasFields T>
std::string ToJson(const T& value) {
  ObjectWriter out;
  WriteFields(value, &out);
  return out.Take();
}

}  // namespace troika::json

#endif  // TROIKA_BASE_JSON_FIELDS_H_
