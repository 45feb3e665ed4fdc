// Tables of the fields of a struct, for code that treats all fields alike: to
// encode, read or redact them. Each field takes one line, with its number in
// dto/troika.proto (if it has one), its name and its member:
//
//   struct Point { int x = 0; std::string label; };
//   template <>
//   inline constexpr auto kFields<Point> = std::tuple{
//       Field{1, "x", &Point::x}, Field{2, "label", &Point::label}};
//
//   ForEachField<Point>([&](const auto& field) {
//     Print(field.name, field.Of(point));
//   });
#ifndef TROIKA_BASE_FIELDS_H_
#define TROIKA_BASE_FIELDS_H_

#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace troika {

// `Member` is a pointer to a member, or a function of the struct: Within,
// AsJson or IfSet.
template <typename Member>
struct Field {
  constexpr Field(int number, absl::string_view name, Member member)
      : number(number), name(name), member(member) {}
  constexpr Field(absl::string_view name, Member member)
      : Field(0, name, member) {}

  template <typename T>
  ABSL_ATTRIBUTE_ALWAYS_INLINE decltype(auto) Of(T& object) const {
    return std::invoke(member, object);
  }

  int number;
  absl::string_view name;
  Member member;
};

struct NoTable {};

template <typename T>
inline constexpr NoTable kFields = {};

template <typename T>
concept HasFields = !std::is_same_v<decltype(kFields<T>), const NoTable>;

template <typename T, typename Function>
ABSL_ATTRIBUTE_ALWAYS_INLINE inline void ForEachField(
    const Function& function) {
  std::apply([&](const auto&... fields)
                 ABSL_ATTRIBUTE_ALWAYS_INLINE { (function(fields), ...); },
             kFields<T>);
}

// The member `inner` of the member `outer`.
template <typename Outer, typename Inner>
struct Within {
  constexpr Within(Outer outer, Inner inner) : outer(outer), inner(inner) {}
  template <typename T>
  decltype(auto) operator()(T& object) const {
    return std::invoke(inner, std::invoke(outer, object));
  }

  Outer outer;
  Inner inner;
};

// A string that holds a JSON value, or is empty if there is none.
template <typename String>
struct JsonText {
  String& text;
};

template <typename T>
struct AsJson {
  constexpr explicit AsJson(std::string T::*member) : member(member) {}
  JsonText<const std::string> operator()(const T& object) const {
    return {object.*member};
  }
  JsonText<std::string> operator()(T& object) const { return {object.*member}; }

  std::string T::*member;
};

// A value that is left out if it equals its default, as an `optional` field of
// the .proto is.
template <typename Value>
struct ValueIfSet {
  Value& value;
};

template <typename T, typename Value>
struct IfSet {
  constexpr explicit IfSet(Value T::*member) : member(member) {}
  ValueIfSet<const Value> operator()(const T& object) const {
    return {object.*member};
  }
  ValueIfSet<Value> operator()(T& object) const { return {object.*member}; }

  Value T::*member;
};

// A duration that is written as a count of `unit`. An infinite optional
// duration means that there is no limit, and is written as 0.
template <typename Value>
struct UnitCount {
  Value& value;
  absl::Duration unit;
};

template <typename T, typename Value>
struct InUnits {
  UnitCount<const Value> operator()(const T& object) const {
    return {object.*member, unit};
  }
  UnitCount<Value> operator()(T& object) const {
    return {object.*member, unit};
  }

  Value T::*member;
  absl::Duration unit;
};

template <typename T, typename Value>
constexpr InUnits<T, Value> InMillis(Value T::*member) {
  return {member, absl::Milliseconds(1)};
}
template <typename T, typename Value>
constexpr InUnits<T, Value> InMicros(Value T::*member) {
  return {member, absl::Microseconds(1)};
}

// The names of an enum's values, which count from 0:
//
//   template <>
//   inline constexpr auto kEnumNames<Color> = EnumNames("red", "green");
template <typename E>
inline constexpr NoTable kEnumNames = {};

template <std::same_as<const char*>... Texts>
constexpr std::array<absl::string_view, sizeof...(Texts)> EnumNames(
    Texts... texts) {
  return {texts...};
}

template <typename E>
concept HasNames = !std::is_same_v<decltype(kEnumNames<E>), const NoTable>;

template <HasNames E>
constexpr absl::string_view NameOf(E value) {
  return kEnumNames<E>[static_cast<size_t>(value)];
}

template <HasNames E>
std::optional<E> FromName(absl::string_view name) {
  for (size_t i = 0; i < kEnumNames<E>.size(); ++i) {
    if (kEnumNames<E>[i] == name) return static_cast<E>(i);
  }
  return std::nullopt;
}

template <typename T>
bool IsDefault(const T& value) {
  if constexpr (HasFields<T>) {
    bool all = true;
    ForEachField<T>(
        [&](const auto& field) { all = all && IsDefault(field.Of(value)); });
    return all;
  } else if constexpr (requires { value.empty(); }) {
    return value.empty();
  } else {
    return value == T();
  }
}
template <typename String>
bool IsDefault(const JsonText<String>& value) {
  return value.text.empty();
}
template <typename T>
bool IsDefault(const UnitCount<T>& value) {
  return value.value == T();
}
template <typename T>
bool IsDefault(const ValueIfSet<T>& value) {
  return IsDefault(value.value);
}

}  // namespace troika

#endif  // TROIKA_BASE_FIELDS_H_
