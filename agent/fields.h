// Reads a JSON object into a record type by a table of its fields.
//
//   struct Item {
//     absl::string_view id;
//     std::optional<int64_t> exit_code;
//     json::Value changes;
//   };
//   constexpr RecordField<Item> kItemFields[] = {
//       {"id", &Item::id}, {"exit_code", &Item::exit_code},
//       {"changes", &Item::changes},
//       {"status_line, sender"},  // Known, but not used.
//   };
//   Item item;
//   ReadFields(value, kItemFields, {drift, "item"}, &item);
//
// No content of an object is an error: a field that is missing, null or of
// another type keeps its default, and fields that the table does not list are
// reported as drift. The first of repeated keys counts. A duration is a number
// of milliseconds. The record borrows from the parsed line.
#ifndef TROIKA_AGENT_FIELDS_H_
#define TROIKA_AGENT_FIELDS_H_

#include <cstdint>
#include <optional>
#include <type_traits>
#include <variant>

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "agent/drift.h"
#include "base/json.h"

namespace troika {

// Path of the object in its line, and the receiver of unknown fields.
struct FieldScope {
  Drift* /*nullable*/ drift = nullptr;
  absl::string_view where;
};

template <typename T>
struct RecordField {
  // A field that we use; if there is no member, a list of others that we know.
  absl::string_view name;
  std::variant<std::monostate, absl::string_view T::*,
               std::optional<int64_t> T::*, std::optional<double> T::*,
               std::optional<bool> T::*, std::optional<absl::Duration> T::*,
               json::Value T::*>
      member = {};
};

namespace internal {

// Returns false if `value` is of another type.
inline bool Assign(json::Value value, absl::string_view* out) {
  if (value.IsString()) *out = value.StringOr("");
  return value.IsString();
}
inline bool Assign(json::Value value, std::optional<int64_t>* out) {
  *out = value.Int();
  return out->has_value();
}
inline bool Assign(json::Value value, std::optional<double>* out) {
  *out = value.Double();
  return out->has_value();
}
inline bool Assign(json::Value value, std::optional<bool>* out) {
  *out = value.Bool();
  return out->has_value();
}
inline bool Assign(json::Value value, std::optional<absl::Duration>* out) {
  if (const auto count = value.Double()) *out = absl::Milliseconds(*count);
  return out->has_value();
}
inline bool Assign(json::Value value, json::Value* out) {
  *out = value;
  return true;
}

template <typename T>
bool AssignField(const RecordField<T>& field, json::Value value, T* out) {
  return std::visit(
      [&](auto member) {
        if constexpr (std::is_same_v<decltype(member), std::monostate>) {
          return true;
        } else if constexpr (sizeof(out->*member) > sizeof(T)) {
          // T has no such member. Without this branch, which never runs, g++ 12
          // warns of writes past the end of T.
          return true;
        } else {
          return Assign(value, &(out->*member));
        }
      },
      field.member);
}

template <typename T>
bool IsKnown(absl::Span<const RecordField<T>> fields, absl::string_view name) {
  for (const RecordField<T>& field : fields) {
    if (!std::holds_alternative<std::monostate>(field.member)) continue;
    for (const absl::string_view known : absl::StrSplit(field.name, ", ")) {
      if (known == name) return true;
    }
  }
  return false;
}

}  // namespace internal

template <typename T>
void ReadFields(json::Value object, absl::Span<const RecordField<T>> fields,
                const FieldScope& scope, T* out) {
  if (fields.size() > 64) return;  // `seen` has 64 bits; see the static_assert.
  uint64_t seen = 0;
  size_t next = 0;  // Writers keep an order, so try the following field first.
  for (const json::Member& member : object.members()) {
    size_t i = next;
    size_t tried = 0;
    while (tried < fields.size() && fields[i].name != member.key) {
      ++tried;
      if (++i == fields.size()) i = 0;
    }
    if (tried == fields.size()) {
      if (scope.drift && !internal::IsKnown(fields, member.key)) {
        scope.drift->UnknownField(scope.where, member.key);
      }
      continue;
    }
    next = i + 1 == fields.size() ? 0 : i + 1;
    if (seen & (uint64_t{1} << i)) continue;
    seen |= uint64_t{1} << i;
    if (member.value.IsNull()) continue;
    if (!internal::AssignField(fields[i], member.value, out) && scope.drift) {
      scope.drift->WrongType(scope.where, member.key,
                             json::TypeName(member.value.type()));
    }
  }
}

template <typename T, size_t N>
void ReadFields(json::Value object, const RecordField<T> (&fields)[N],
                const FieldScope& scope, T* out) {
  static_assert(N <= 64, "ReadFields remembers what it has seen in 64 bits");
  ReadFields(object, absl::Span<const RecordField<T>>(fields), scope, out);
}

}  // namespace troika

// Defines Read<Type>, which its namespace declares, by the table kType.
#define TROIKA_READ(Type)                                \
  template <>                                            \
  Type Read(json::Value from, const FieldScope& scope) { \
    Type record;                                         \
    ReadFields(from, k##Type, scope, &record);           \
    return record;                                       \
  }

#endif  // TROIKA_AGENT_FIELDS_H_
