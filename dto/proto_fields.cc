#include "dto/proto_fields.h"

#include "absl/status/statusor.h"
#include "base/check.h"
#include "base/json.h"
#include "dto/proto_json.h"
#include "dto/scalars.h"
#include "google/protobuf/struct.pb.h"

namespace troika {
namespace {

using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Reflection;
using ProtoMessage = ::google::protobuf::Message;

const FieldDescriptor& FieldOf(const ProtoMessage& message, int number) {
  const FieldDescriptor* const field =
      message.GetDescriptor()->FindFieldByNumber(number);
  CHECK(field != nullptr);
  return *field;
}

// JSON that is nested deeper than kMaxMessageDepth becomes a string of its
// text.
void FillValue(json::Value value, int depth, google::protobuf::Value* out) {
  const bool too_deep = depth >= kMaxMessageDepth;
  if (value.IsString()) {
    out->set_string_value(json::ToValidUtf8(value.StringOr("")));
  } else if (const std::optional<double> number = value.Double()) {
    out->set_number_value(*number);
  } else if (const std::optional<bool> boolean = value.Bool()) {
    out->set_bool_value(*boolean);
  } else if (value.IsObject() && !too_deep) {
    // The last of keys that come twice wins, as for readers of JSON.
    auto& fields = *out->mutable_struct_value()->mutable_fields();
    for (const json::Member& member : value.members()) {
      google::protobuf::Value& to = fields[json::ToValidUtf8(member.key)];
      to.Clear();
      FillValue(member.value, depth + 1, &to);
    }
  } else if (value.IsArray() && !too_deep) {
    auto& list = *out->mutable_list_value();
    for (const json::Value item : value.items()) {
      FillValue(item, depth + 1, list.add_values());
    }
  } else if (value.IsNull() || !value.exists()) {
    out->set_null_value(google::protobuf::NULL_VALUE);
  } else {
    // Too deep, or a number that no double holds.
    out->set_string_value(json::ToValidUtf8(value.ToJson()));
  }
}

template <typename Message>
Message MakeSplit(const SecondsAndNanos& split) {
  Message out;
  out.set_seconds(split.seconds);
  out.set_nanos(split.nanos);
  return out;
}

}  // namespace

google::protobuf::Timestamp ToProto(absl::Time time) {
  return MakeSplit<google::protobuf::Timestamp>(SplitTime(time));
}

google::protobuf::Duration ToProto(absl::Duration duration) {
  return MakeSplit<google::protobuf::Duration>(SplitDuration(duration));
}

absl::Time FromProto(const google::protobuf::Timestamp& time) {
  return absl::FromUnixSeconds(time.seconds()) +
         absl::Nanoseconds(time.nanos());
}

absl::Duration FromProto(const google::protobuf::Duration& duration) {
  return absl::Seconds(duration.seconds()) +
         absl::Nanoseconds(duration.nanos());
}

const FieldDescriptor& ProtoSink::Descriptor(const FieldInfo& field) const {
  return FieldOf(*out_, field.number);
}

void ProtoSink::Put(const FieldInfo& field, absl::string_view text) {
  reflection().SetString(out_, &Descriptor(field), json::ToValidUtf8(text));
}
void ProtoSink::Put(const FieldInfo& field, const JsonValue& json) {
  auto& out = static_cast<google::protobuf::Value&>(
      *reflection().MutableMessage(out_, &Descriptor(field)));
  json::Parser parser;
  const absl::StatusOr<json::Value> value = parser.Parse(json.text);
  if (value.ok()) {
    FillValue(*value, 0, &out);
  } else {
    out.set_string_value(json::ToValidUtf8(json.text));
  }
}
void ProtoSink::Put(const FieldInfo& field,
                    const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    reflection().AddString(out_, &Descriptor(field), json::ToValidUtf8(text));
  }
}

v1::Event ToEvent(const Message& message, absl::string_view task_id) {
  v1::Event event;
  ProtoSink sink(&event);
  DescribeEvent(message, task_id, sink);
  return event;
}

ProtoField::ProtoField(const ProtoMessage& message, int number)
    : message_(message), field_(FieldOf(message, number)) {}

const ProtoMessage& ProtoField::MessageAt(std::optional<int> index) const {
  const Reflection& reflection = *message_.GetReflection();
  return index ? reflection.GetRepeatedMessage(message_, &field_, *index)
               : reflection.GetMessage(message_, &field_);
}

void ProtoField::Read(absl::Time& out) const {
  out = FromProto(
      static_cast<const google::protobuf::Timestamp&>(MessageAt(std::nullopt)));
}
void ProtoField::Read(absl::Duration& out) const {
  out = FromProto(
      static_cast<const google::protobuf::Duration&>(MessageAt(std::nullopt)));
}
void ProtoField::Read(std::vector<std::string>& out) const {
  for (int i = 0; i < size(); ++i) {
    out.push_back(
        message_.GetReflection()->GetRepeatedString(message_, &field_, i));
  }
}
void ProtoField::Read(JsonText<std::string> out) const {
  if (is_set()) out.text = ToJson(MessageAt(std::nullopt));
}

}  // namespace troika
