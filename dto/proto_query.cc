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

absl::Status BadValue(const FieldDescriptor& field, absl::string_view value,
                      absl::string_view wanted) {
  return absl::InvalidArgumentError(absl::StrCat(
      field.name(), "=", Shown(value), " in the query: give ", wanted));
}

// Sets the fields of a query's parameters, of the types that they have.
class Setter {
 public:
  Setter(const FieldDescriptor& field, ProtoMessage* out)
      : field_(field), reflection_(*out->GetReflection()), out_(*out) {}

  absl::Status Set(const std::string& value) {
    if (!json::IsValidUtf8(value)) return BadValue(field_, value, "UTF-8");
    if (field_.is_map()) return AddLabel(value);
    if (field_.cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      Put(&Reflection::SetString, &Reflection::AddString, value);
      return absl::OkStatus();
    }
    if (field_.cpp_type() == FieldDescriptor::CPPTYPE_INT32) {
      return SetNumber(value);
    }
    if (field_.cpp_type() == FieldDescriptor::CPPTYPE_BOOL) {
      return SetBool(value);
    }
    if (field_.cpp_type() == FieldDescriptor::CPPTYPE_ENUM) {
      return SetEnum(value);
    }
    if (field_.message_type() == Timestamp::descriptor()) return SetTime(value);
    return absl::InvalidArgumentError(absl::StrCat(
        field_.name(), " can't stand in a query: send it as JSON"));
  }

 private:
  template <typename Set, typename Add, typename T>
  void Put(Set set, Add add, const T& value) {
    (reflection_.*(field_.is_repeated() ? add : set))(&out_, &field_, value);
  }
  absl::Status SetNumber(absl::string_view value) {
    int32_t number = 0;
    if (!absl::SimpleAtoi(value, &number)) {
      return BadValue(field_, value, "a whole number");
    }
    Put(&Reflection::SetInt32, &Reflection::AddInt32, number);
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
      std::vector<std::string> names;
      for (int i = 0; i < type.value_count(); ++i) {
        names.push_back(type.value(i)->name());
      }
      return BadValue(field_, value,
                      absl::StrCat("one of ", absl::StrJoin(names, ", ")));
    }
    Put(&Reflection::SetEnumValue, &Reflection::AddEnumValue, found->number());
    return absl::OkStatus();
  }
  absl::Status SetTime(absl::string_view value) {
    absl::Time time;
    if (!absl::ParseTime(absl::RFC3339_full, value, &time, nullptr)) {
      return BadValue(field_, value, "a time such as 2026-01-31T08:30:00Z");
    }
    const SecondsAndNanos split = SplitTime(time);
    auto& stamp =
        static_cast<Timestamp&>(*reflection_.MutableMessage(&out_, &field_));
    stamp.set_seconds(split.seconds);
    stamp.set_nanos(split.nanos);
    return absl::OkStatus();
  }
  // Maps are of strings.
  absl::Status AddLabel(const std::string& value) {
    const size_t equals = value.find('=');
    if (equals == std::string::npos || equals == 0) {
      return BadValue(field_, value, "key=value");
    }
    const Descriptor& type = *field_.message_type();
    ProtoMessage& entry = *reflection_.AddMessage(&out_, &field_);
    const Reflection& reflection = *entry.GetReflection();
    reflection.SetString(&entry, type.map_key(), value.substr(0, equals));
    reflection.SetString(&entry, type.map_value(), value.substr(equals + 1));
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
      std::vector<std::string> names;
      for (int i = 0; i < type.field_count(); ++i) {
        names.push_back(type.field(i)->name());
      }
      return absl::InvalidArgumentError(
          absl::StrCat("no parameter ", Shown(name), ": there are ",
                       absl::StrJoin(names, ", ")));
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
