// Gives the fields of a struct (dto/message_fields.h) to a sink, one by one.
// Sinks know encodings: JSON (dto/json.cc), protobuf (dto/proto_fields.h), text
// (dto/text.cc). A sink is any class with these members:
//
//   void Put(const FieldInfo& field, value);
//       // absl::string_view, bool, int32_t, int64_t, double, EnumValue,
//       // JsonValue, absl::Time, absl::Duration, std::vector<std::string>.
//   void PutMessage(field, body);          // body() describes what is within.
//   void PutMessages(field, items, body);  // body(item), for each of them.
#ifndef TROIKA_DTO_DESCRIBE_H_
#define TROIKA_DTO_DESCRIBE_H_

#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/strings/string_view.h"
#include "agent/message.h"
#include "base/fields.h"
#include "dto/message_fields.h"

namespace troika {

struct FieldInfo {
  int number;
  absl::string_view name;
  bool is_set = false;  // An optional field, which has a value.
};

struct EnumValue {
  int number;
  absl::string_view name;
};

// The text of a google.protobuf.Value.
struct JsonValue {
  absl::string_view text;
};

template <typename T, typename Sink>
void Describe(const T& value, Sink& sink);

template <typename V, typename Sink>
ABSL_ATTRIBUTE_ALWAYS_INLINE inline void PutValue(const FieldInfo& field,
                                                  const V& value, Sink& sink) {
  if constexpr (std::is_same_v<V, std::string>) {
    sink.Put(field, absl::string_view(value));
  } else if constexpr (HasNames<V>) {
    sink.Put(field, EnumValue{static_cast<int>(value), NameOf(value)});
  } else if constexpr (HasFields<V>) {
    sink.PutMessage(field, [&] { Describe(value, sink); });
  } else {
    sink.Put(field, value);
  }
}
template <typename V, typename Sink>
void PutValue(const FieldInfo& field, const std::vector<V>& values,
              Sink& sink) {
  if constexpr (HasFields<V>) {
    sink.PutMessages(field, values, [&](const V& v) { Describe(v, sink); });
  } else {
    sink.Put(field, values);
  }
}
template <typename V, typename Sink>
ABSL_ATTRIBUTE_ALWAYS_INLINE inline void PutValue(const FieldInfo& field,
                                                  const std::optional<V>& value,
                                                  Sink& sink) {
  if (value) PutValue({field.number, field.name, true}, *value, sink);
}
template <typename V, typename Sink>
ABSL_ATTRIBUTE_ALWAYS_INLINE inline void PutValue(const FieldInfo& field,
                                                  ValueIfSet<V> value,
                                                  Sink& sink) {
  if (IsDefault(value.value)) return;
  PutValue({field.number, field.name, true}, value.value, sink);
}
template <typename Sink>
ABSL_ATTRIBUTE_ALWAYS_INLINE inline void PutValue(
    const FieldInfo& field, JsonText<const std::string> json, Sink& sink) {
  if (!json.text.empty()) sink.Put(field, JsonValue{json.text});
}

template <typename Member, typename T, typename Sink>
ABSL_ATTRIBUTE_ALWAYS_INLINE inline void PutField(const Field<Member>& field,
                                                  const T& object, Sink& sink) {
  PutValue({field.number, field.name}, field.Of(object), sink);
}

template <typename T, typename Sink>
void Describe(const T& value, Sink& sink) {
  ForEachField<T>([&](const auto& field) ABSL_ATTRIBUTE_ALWAYS_INLINE {
    PutField(field, value, sink);
  });
}

// A v1::Event.
template <typename Sink>
void DescribeEvent(const Message& m, absl::string_view task_id, Sink& sink) {
  const std::string id = EventIdText(m.id);
  const auto& [time, parent, block] = kFields<Message>;
  sink.Put({1, "id"}, absl::string_view(id));
  PutField(time, m, sink);
  sink.Put({3, "taskId"}, task_id);
  PutField(parent, m, sink);
  PutField(block, m, sink);
  const PayloadField& payload = kPayloadFields[m.payload.index()];
  std::visit(
      [&](const auto& body) {
        sink.PutMessage({payload.number, payload.name},
                        [&] { Describe(body, sink); });
      },
      m.payload);
}

}  // namespace troika

#endif  // TROIKA_DTO_DESCRIBE_H_
