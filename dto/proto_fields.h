// Structs with a table of their fields (base/fields.h) as messages of protobuf,
// by the numbers of the fields.
//
//   v1::Approval approval;
//   FieldsToProto(Approval{.id = "a1"}, &approval);
//   Approval read;
//   FieldsFromProto(approval, &read);
#ifndef TROIKA_DTO_PROTO_FIELDS_H_
#define TROIKA_DTO_PROTO_FIELDS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/message.h"
#include "base/fields.h"
#include "dto/describe.h"
#include "dto/troika.pb.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/duration.pb.h"
#include "google/protobuf/message.h"
#include "google/protobuf/timestamp.pb.h"

namespace troika {

// Values outside of protobuf's ranges become the nearest within.
google::protobuf::Timestamp ToProto(absl::Time time);
google::protobuf::Duration ToProto(absl::Duration duration);
absl::Time FromProto(const google::protobuf::Timestamp& time);
absl::Duration FromProto(const google::protobuf::Duration& duration);

// A sink (dto/describe.h) that sets fields. Bytes of strings that are not UTF-8
// become U+FFFD: protobuf drops such strings.
class ProtoSink {
 public:
  explicit ProtoSink(google::protobuf::Message* out) : out_(out) {}

  void Put(const FieldInfo& field, absl::string_view text);
  void Put(const FieldInfo& field, bool value) {
    Set(field, &Reflection::SetBool, value);
  }
  void Put(const FieldInfo& field, int32_t value) {
    Set(field, &Reflection::SetInt32, value);
  }
  void Put(const FieldInfo& field, int64_t value) {
    Set(field, &Reflection::SetInt64, value);
  }
  void Put(const FieldInfo& field, double value) {
    Set(field, &Reflection::SetDouble, value);
  }
  void Put(const FieldInfo& field, const EnumValue& value) {
    Set(field, &Reflection::SetEnumValue, value.number);
  }
  void Put(const FieldInfo& field, const JsonValue& json);
  void Put(const FieldInfo& field, const std::vector<std::string>& texts);
  template <typename TimeOrDuration>
  void Put(const FieldInfo& field, TimeOrDuration value) {
    reflection()
        .MutableMessage(out_, &Descriptor(field))
        ->CopyFrom(ToProto(value));
  }
  template <typename Body>
  void PutMessage(const FieldInfo& field, const Body& body) {
    Fill(reflection().MutableMessage(out_, &Descriptor(field)), body);
  }
  template <typename Items, typename Body>
  void PutMessages(const FieldInfo& field, const Items& items,
                   const Body& body) {
    for (const auto& item : items) {
      Fill(reflection().AddMessage(out_, &Descriptor(field)),
           [&] { body(item); });
    }
  }

 private:
  using Reflection = google::protobuf::Reflection;

  const Reflection& reflection() const { return *out_->GetReflection(); }
  template <typename Setter, typename V>
  void Set(const FieldInfo& field, Setter setter, V value) {
    (reflection().*setter)(out_, &Descriptor(field), value);
  }
  const google::protobuf::FieldDescriptor& Descriptor(
      const FieldInfo& field) const;
  template <typename Body>
  void Fill(google::protobuf::Message* message, const Body& body) {
    google::protobuf::Message* const outer = std::exchange(out_, message);
    body();
    out_ = outer;
  }

  google::protobuf::Message* out_;
};

template <typename T>
void FieldsToProto(const T& value, google::protobuf::Message* out) {
  ProtoSink sink(out);
  Describe(value, sink);
}

v1::Event ToEvent(const Message& message, absl::string_view task_id);

// A field of a message.
class ProtoField {
 public:
  ProtoField(const google::protobuf::Message& message, int number);

  absl::string_view name() const { return field_.name(); }
  bool is_set() const { return Get(&Reflection::HasField); }
  void Read(std::string& out) const { out = Get(&Reflection::GetString); }
  void Read(bool& out) const { out = Get(&Reflection::GetBool); }
  void Read(int& out) const { out = Get(&Reflection::GetInt32); }
  void Read(int64_t& out) const { out = Get(&Reflection::GetInt64); }
  void Read(double& out) const { out = Get(&Reflection::GetDouble); }
  void Read(absl::Time& out) const;
  void Read(absl::Duration& out) const;
  void Read(std::vector<std::string>& out) const;
  void Read(JsonText<std::string> out) const;
  template <HasNames E>
  void Read(E& out) const {
    const auto value = static_cast<size_t>(Get(&Reflection::GetEnumValue));
    // A newer writer may have more values.
    if (value < kEnumNames<E>.size()) out = static_cast<E>(value);
  }
  template <typename V>
  void Read(std::optional<V>& out) const {
    if (is_set()) Read(out.emplace());
  }
  template <typename V>
  void Read(ValueIfSet<V> out) const {
    Read(out.value);
  }
  template <HasFields T>
  void Read(T& out) const;
  template <HasFields T>
  void Read(std::vector<T>& out) const;

 private:
  using Reflection = google::protobuf::Reflection;

  template <typename V>
  V Get(V (Reflection::*getter)(const google::protobuf::Message&,
                                const google::protobuf::FieldDescriptor*)
            const) const {
    return (message_.GetReflection()->*getter)(message_, &field_);
  }
  int size() const { return Get(&Reflection::FieldSize); }
  const google::protobuf::Message& MessageAt(std::optional<int> index) const;

  const google::protobuf::Message& message_;
  const google::protobuf::FieldDescriptor& field_;
};

template <typename T>
void FieldsFromProto(const google::protobuf::Message& from, T* out) {
  ForEachField<T>([&](const auto& field) {
    ProtoField(from, field.number).Read(field.Of(*out));
  });
}

template <HasFields T>
void ProtoField::Read(T& out) const {
  FieldsFromProto(MessageAt(std::nullopt), &out);
}
template <HasFields T>
void ProtoField::Read(std::vector<T>& out) const {
  for (int i = 0; i < size(); ++i) {
    FieldsFromProto(MessageAt(i), &out.emplace_back());
  }
}

}  // namespace troika

#endif  // TROIKA_DTO_PROTO_FIELDS_H_
