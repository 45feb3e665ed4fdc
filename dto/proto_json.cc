#include "dto/proto_json.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/check.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "dto/scalars.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/duration.pb.h"
#include "google/protobuf/timestamp.pb.h"
#include "google/protobuf/unknown_field_set.h"
#include "google/protobuf/util/json_util.h"

namespace troika {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Reflection;
using ProtoMessage = ::google::protobuf::Message;

constexpr size_t kMaxBinaryBytes = json::kMaxBytes;

bool IsDeeperThan(json::Value value, int levels) {
  if (!value.IsObject() && !value.IsArray()) return false;
  if (levels == 0) return true;
  for (const json::Value item : value.items()) {
    if (IsDeeperThan(item, levels - 1)) return true;
  }
  for (const json::Member& member : value.members()) {
    if (IsDeeperThan(member.value, levels - 1)) return true;
  }
  return false;
}

// Protobuf's reader takes more than JSON: what is none is refused before.
absl::Status CheckJson(absl::string_view json) {
  if (json.size() <= json::kMaxBytes && !json::IsValidUtf8(json)) {
    return absl::InvalidArgumentError(
        "the JSON is not valid UTF-8: encode it so");
  }
  json::Parser parser;
  const absl::StatusOr<json::Value> value = parser.Parse(json);
  if (!value.ok()) {
    return absl::Status(
        value.status().code(),
        absl::StrCat("not a JSON message: ", value.status().message()));
  }
  if (!value->IsObject()) {
    return absl::InvalidArgumentError(
        absl::StrCat("not a JSON message: wanted an object, and this is ",
                     json::TypeName(value->type())));
  }
  if (IsDeeperThan(*value, kMaxMessageDepth)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the JSON is nested too deeply: send at most ",
                     kMaxMessageDepth, " levels"));
  }
  return absl::OkStatus();
}

// protobuf says "(options.model): Cannot find field." and the like.
absl::Status JsonError(absl::string_view type, absl::string_view said) {
  // A picture of the place follows.
  said = said.substr(0, said.find('\n'));
  said = absl::StripSuffix(said, ".");
  const absl::string_view advice =
      absl::StrContains(said, "Cannot find field")
          ? "; dto/troika.proto has the names there are"
          : "; dto/troika.proto says what it takes";
  return absl::InvalidArgumentError(absl::StrCat(
      "no ", type, ": ", json::ToValidUtf8(said.substr(0, 300)), advice));
}

absl::Status CheckKnown(const ProtoMessage& message);

absl::Status CheckEnum(const FieldDescriptor& field, int number) {
  if (field.enum_type()->FindValueByNumber(number) != nullptr) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(field.full_name(), " has no value ", number,
                   ": use one of those in dto/troika.proto"));
}

absl::Status CheckField(const ProtoMessage& message,
                        const FieldDescriptor& field) {
  const Reflection& reflection = *message.GetReflection();
  const int count =
      field.is_repeated() ? reflection.FieldSize(message, &field) : 1;
  for (int i = 0; i < count; ++i) {
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_ENUM) {
      RETURN_IF_ERROR(CheckEnum(
          field, field.is_repeated()
                     ? reflection.GetRepeatedEnumValue(message, &field, i)
                     : reflection.GetEnumValue(message, &field)));
    } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      RETURN_IF_ERROR(
          CheckKnown(field.is_repeated()
                         ? reflection.GetRepeatedMessage(message, &field, i)
                         : reflection.GetMessage(message, &field)));
    }
  }
  return absl::OkStatus();
}

// proto3 keeps numbers that an enum does not have, and fields of other numbers.
absl::Status CheckKnown(const ProtoMessage& message) {
  const Reflection& reflection = *message.GetReflection();
  const auto& unknown = reflection.GetUnknownFields(message);
  if (!unknown.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        message.GetTypeName(), " has no field ", unknown.field(0).number(),
        ": leave it out, or use a newer server"));
  }
  std::vector<const FieldDescriptor*> set;
  reflection.ListFields(message, &set);
  for (const FieldDescriptor* field : set) {
    RETURN_IF_ERROR(CheckField(message, *field));
  }
  return absl::OkStatus();
}

// Writes messages as protobuf's own writer does, which encodes them first,
// looks up each type by its name, and takes ten times as long.
class JsonWriter {
 public:
  explicit JsonWriter(std::string* out) : out_(*out) {}

  void Write(const ProtoMessage& message) {
    const Descriptor& type = *message.GetDescriptor();
    if (type.file()->package() == "google.protobuf") {
      return WriteKnownType(message, type);
    }
    const Reflection& reflection = *message.GetReflection();
    char before = '{';
    for (int i = 0; i < type.field_count(); ++i) {
      const FieldDescriptor& field = *type.field(i);
      if (field.has_presence() && !reflection.HasField(message, &field)) {
        continue;
      }
      absl::StrAppend(&out_, absl::string_view(&before, 1), "\"",
                      field.json_name(), "\":");
      before = ',';
      if (field.is_repeated()) {
        WriteRepeated(message, field);
      } else {
        WriteValue(message, field);
      }
    }
    out_ += before == '{' ? "{}" : "}";
  }

 private:
  void WriteKnownType(const ProtoMessage& message, const Descriptor& type) {
    out_ += '"';
    if (type.name() == "Timestamp") {
      const auto& time =
          static_cast<const google::protobuf::Timestamp&>(message);
      AppendTime(absl::FromUnixSeconds(time.seconds()) +
                     absl::Nanoseconds(time.nanos()),
                 &out_);
    } else if (type.name() == "Duration") {
      const auto& duration =
          static_cast<const google::protobuf::Duration&>(message);
      AppendDuration(absl::Seconds(duration.seconds()) +
                         absl::Nanoseconds(duration.nanos()),
                     &out_);
    } else {
      out_.pop_back();
      // Any value. All that is refused is one that nobody could have made
      // right.
      std::string json;
      CHECK(google::protobuf::util::MessageToJsonString(message, &json).ok());
      out_ += json;
      return;
    }
    out_ += '"';
  }

  void WriteRepeated(const ProtoMessage& message,
                     const FieldDescriptor& field) {
    const int size = message.GetReflection()->FieldSize(message, &field);
    out_ += field.is_map() ? '{' : '[';
    for (int i = 0; i < size; ++i) {
      if (i > 0) out_ += ',';
      if (!field.is_map()) {
        WriteValue(message, field, i);
        continue;
      }
      const ProtoMessage& entry =
          message.GetReflection()->GetRepeatedMessage(message, &field, i);
      WriteValue(entry, *field.message_type()->map_key());
      out_ += ':';
      WriteValue(entry, *field.message_type()->map_value());
    }
    out_ += field.is_map() ? '}' : ']';
  }

  // `i` counts the values of a repeated field.
  void WriteValue(const ProtoMessage& message, const FieldDescriptor& field,
                  int i = 0) {
    const Reflection& of = *message.GetReflection();
    const bool all = field.is_repeated();
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        absl::StrAppend(&out_, all ? of.GetRepeatedInt32(message, &field, i)
                                   : of.GetInt32(message, &field));
        break;
      case FieldDescriptor::CPPTYPE_INT64:
        absl::StrAppend(&out_, "\"",
                        all ? of.GetRepeatedInt64(message, &field, i)
                            : of.GetInt64(message, &field),
                        "\"");
        break;
      case FieldDescriptor::CPPTYPE_DOUBLE:
        AppendDouble(all ? of.GetRepeatedDouble(message, &field, i)
                         : of.GetDouble(message, &field),
                     &out_);
        break;
      case FieldDescriptor::CPPTYPE_BOOL:
        out_ += (all ? of.GetRepeatedBool(message, &field, i)
                     : of.GetBool(message, &field))
                    ? "true"
                    : "false";
        break;
      case FieldDescriptor::CPPTYPE_ENUM:
        json::AppendQuoted((all ? of.GetRepeatedEnum(message, &field, i)
                                : of.GetEnum(message, &field))
                               ->name(),
                           &out_);
        break;
      case FieldDescriptor::CPPTYPE_STRING: {
        std::string scratch;
        json::AppendQuoted(
            all ? of.GetRepeatedStringReference(message, &field, i, &scratch)
                : of.GetStringReference(message, &field, &scratch),
            &out_);
        break;
      }
      case FieldDescriptor::CPPTYPE_MESSAGE:
        Write(all ? of.GetRepeatedMessage(message, &field, i)
                  : of.GetMessage(message, &field));
        break;
      default:
        CHECK(!"dto/troika.proto has a type that is not written here");
    }
  }

  std::string& out_;
};

}  // namespace

std::string ToJson(const ProtoMessage& message) {
  std::string json;
  JsonWriter(&json).Write(message);
  return json;
}

absl::Status FromJson(absl::string_view json, ProtoMessage* out,
                      UnknownFields unknown) {
  RETURN_IF_ERROR(CheckJson(json));
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = unknown == UnknownFields::kIgnore;
  const auto status = google::protobuf::util::JsonStringToMessage(
      {json.data(), json.size()}, out, options);
  if (!status.ok()) {
    const std::string said = status.message().ToString();
    return JsonError(out->GetDescriptor()->name(), said);
  }
  if (unknown == UnknownFields::kIgnore) return absl::OkStatus();
  return CheckKnown(*out);
}

absl::Status FromBinary(absl::string_view bytes, ProtoMessage* out,
                        UnknownFields unknown) {
  const std::string& type = out->GetDescriptor()->name();
  if (bytes.size() > kMaxBinaryBytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("a ", type, " of ", bytes.size(), " bytes: send at most ",
                     kMaxBinaryBytes));
  }
  if (!out->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::InvalidArgumentError(
        absl::StrCat("no ", type,
                     ": not protobuf's binary encoding of it, or one of its "
                     "strings is not UTF-8; say what it is in Content-Type"));
  }
  if (unknown == UnknownFields::kIgnore) return absl::OkStatus();
  return CheckKnown(*out);
}

}  // namespace troika
