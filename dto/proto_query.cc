#include <cstdint>
#include <set>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "dto/proto_json.h"
#include "dto/scalars.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/timestamp.pb.h"

namespace troika {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::EnumDescriptor;
using ::google::protobuf::EnumValueDescriptor;
using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Reflection;
using ::google::protobuf::Timestamp;
using ProtoMessage = ::google::protobuf::Message;

// Text of a stranger, quoted and short enough for an error.
std::string Shown(absl::string_view text) {
  std::string shown;
  json::AppendQuoted(text.substr(0, 100), &shown);
  return shown;
}

std::string FieldNames(const Descriptor& type) {
  std::vector<std::string> names;
  for (int i = 0; i < type.field_count(); ++i) {
    names.push_back(type.field(i)->name());
  }
  return absl::StrJoin(names, ", ");
}

std::string ValueNames(const EnumDescriptor& type) {
  std::vector<std::string> names;
  for (int i = 0; i < type.value_count(); ++i) {
    names.push_back(type.value(i)->name());
  }
  return absl::StrJoin(names, ", ");
}

absl::Status BadValue(const FieldDescriptor& field, absl::string_view value,
                      absl::string_view wanted) {
  return absl::InvalidArgumentError(absl::StrCat(
      field.name(), "=", Shown(value), " in the query: give ", wanted));
}

// One parameter's way into its field.
class Setter {
 public:
  Setter(const FieldDescriptor& field, ProtoMessage* out)
      : field_(field), reflection_(*out->GetReflection()), out_(*out) {}

  absl::Status Set(const std::string& value) {
    if (!json::IsValidUtf8(value)) return BadValue(field_, value, "UTF-8");
    if (field_.is_map()) return AddLabel(value);
    switch (field_.cpp_type()) {
      case FieldDescriptor::CPPTYPE_STRING:
        Put(&Reflection::SetString, &Reflection::AddString, value);
        return absl::OkStatus();
      case FieldDescriptor::CPPTYPE_INT32:
        return SetNumber<int32_t>(value, &Reflection::SetInt32,
                                  &Reflection::AddInt32);
      case FieldDescriptor::CPPTYPE_INT64:
        return SetNumber<int64_t>(value, &Reflection::SetInt64,
                                  &Reflection::AddInt64);
      case FieldDescriptor::CPPTYPE_BOOL:
        return SetBool(value);
      case FieldDescriptor::CPPTYPE_ENUM:
        return SetEnum(value);
      default:
        return SetTime(value);
    }
  }

 private:
  template <typename Set, typename Add, typename T>
  void Put(Set set, Add add, const T& value) {
    (reflection_.*(field_.is_repeated() ? add : set))(&out_, &field_, value);
  }
  template <typename T, typename Set, typename Add>
  absl::Status SetNumber(absl::string_view value, Set set, Add add) {
    T number = 0;
    if (!absl::SimpleAtoi(value, &number)) {
      return BadValue(field_, value, "a whole number");
    }
    Put(set, add, number);
    return absl::OkStatus();
  }
  absl::Status SetBool(absl::string_view value) {
    if (value != "true" && value != "false") {
      return BadValue(field_, value, "true or false");
    }
    Put(&Reflection::SetBool, &Reflection::AddBool, value == "true");
    return absl::OkStatus();
  }
  absl::Status SetEnum(const std::string& value) {
    const EnumDescriptor& type = *field_.enum_type();
    const EnumValueDescriptor* const found = type.FindValueByName(value);
    if (found == nullptr) {
      return BadValue(field_, value, absl::StrCat("one of ", ValueNames(type)));
    }
    Put(&Reflection::SetEnumValue, &Reflection::AddEnumValue, found->number());
    return absl::OkStatus();
  }
  absl::Status SetTime(absl::string_view value) {
    if (field_.message_type() != Timestamp::descriptor() ||
        field_.is_repeated()) {
      return absl::InvalidArgumentError(absl::StrCat(
          field_.name(), " can't stand in a query: send it as JSON"));
    }
    absl::Time time;
    if (!absl::ParseTime(absl::RFC3339_full, value, &time, nullptr)) {
      return BadValue(field_, value, "a time such as 2026-01-31T08:30:00Z");
    }
    const SecondsAndNanos split = SplitTime(time);
    Timestamp stamp;
    stamp.set_seconds(split.seconds);
    stamp.set_nanos(split.nanos);
    reflection_.MutableMessage(&out_, &field_)->CopyFrom(stamp);
    return absl::OkStatus();
  }
  absl::Status AddLabel(const std::string& value) {
    const FieldDescriptor* const key = field_.message_type()->map_key();
    const FieldDescriptor* const mapped = field_.message_type()->map_value();
    const size_t equals = value.find('=');
    if (equals == std::string::npos || equals == 0 ||
        key->cpp_type() != FieldDescriptor::CPPTYPE_STRING ||
        mapped->cpp_type() != FieldDescriptor::CPPTYPE_STRING) {
      return BadValue(field_, value, "key=value");
    }
    ProtoMessage& entry = *reflection_.AddMessage(&out_, &field_);
    const Reflection& of_entry = *entry.GetReflection();
    of_entry.SetString(&entry, key, value.substr(0, equals));
    of_entry.SetString(&entry, mapped, value.substr(equals + 1));
    return absl::OkStatus();
  }

  const FieldDescriptor& field_;
  const Reflection& reflection_;
  ProtoMessage& out_;
};

}  // namespace

absl::Status FromQuery(
    const std::vector<std::pair<std::string, std::string>>& parameters,
    ProtoMessage* out) {
  out->Clear();
  const Descriptor& type = *out->GetDescriptor();
  std::set<const FieldDescriptor*> seen;
  for (const auto& [name, value] : parameters) {
    const FieldDescriptor* const field = type.FindFieldByName(name);
    if (field == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(
          "no parameter ", Shown(name), ": there are ", FieldNames(type)));
    }
    if (!seen.insert(field).second && !field->is_repeated()) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, " stands in the query twice: give it once"));
    }
    RETURN_IF_ERROR(Setter(*field, out).Set(value));
  }
  return absl::OkStatus();
}

}  // namespace troika
