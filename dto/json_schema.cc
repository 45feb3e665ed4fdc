#include "dto/json_schema.h"

#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/json_fields.h"
#include "base/json_writer.h"

namespace troika {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::EnumDescriptor;
using ::google::protobuf::FieldDescriptor;
using json::ObjectWriter;

// The types whose JSON is not an object of their fields.
constexpr std::pair<absl::string_view, absl::string_view> kWellKnown[] = {
    {"google.protobuf.Timestamp", R"({"type":"string","format":"date-time"})"},
    {"google.protobuf.Duration",
     R"({"type":"string","pattern":"^-?[0-9]+(\\.[0-9]{1,9})?s$"})"},
    {"google.protobuf.Value", "{}"},
};

std::string EnumSchema(const EnumDescriptor& type) {
  std::vector<std::string> names;
  for (int i = 0; i < type.value_count(); ++i) {
    names.push_back(type.value(i)->name());
  }
  return ObjectWriter()
      .String("type", "string")
      .Json("enum", json::ToJson(names))
      .Take();
}

class Schemas {
 public:
  void Add(const Descriptor& type) {
    const std::string name = SchemaName(type);
    if (schemas_.count(name) > 0) return;
    schemas_[name];  // A message may hold itself.
    ObjectWriter properties;
    for (int i = 0; i < type.field_count(); ++i) {
      const FieldDescriptor& field = *type.field(i);
      properties.Json(field.json_name(), FieldSchema(field));
    }
    schemas_[name] = ObjectWriter()
                         .String("type", "object")
                         .Json("properties", properties.Take())
                         .Take();
  }

  std::string Take() {
    ObjectWriter all;
    for (const auto& [name, schema] : schemas_) all.Json(name, schema);
    return all.Take();
  }

 private:
  std::string FieldSchema(const FieldDescriptor& field) {
    if (field.is_map()) {
      return ObjectWriter()
          .String("type", "object")
          .Json("additionalProperties",
                ValueSchema(*field.message_type()->map_value()))
          .Take();
    }
    if (!field.is_repeated()) return ValueSchema(field);
    return ObjectWriter()
        .String("type", "array")
        .Json("items", ValueSchema(field))
        .Take();
  }

  std::string ValueSchema(const FieldDescriptor& field) {
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_BOOL:
        return R"({"type":"boolean"})";
      case FieldDescriptor::CPPTYPE_INT32:
        return R"({"type":"integer","format":"int32"})";
      case FieldDescriptor::CPPTYPE_INT64:
        return R"({"type":"string","format":"int64"})";
      case FieldDescriptor::CPPTYPE_DOUBLE:
        // "NaN", "Infinity" and "-Infinity" are strings: JSON has no such
        // numbers.
        return R"({"type":["number","string"],"format":"double"})";
      case FieldDescriptor::CPPTYPE_ENUM:
        return EnumSchema(*field.enum_type());
      case FieldDescriptor::CPPTYPE_STRING:
        return R"({"type":"string"})";
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return MessageSchema(*field.message_type());
      default:
        return "{}";  // dto/troika.proto has no others.
    }
  }

  std::string MessageSchema(const Descriptor& type) {
    for (const auto& [name, schema] : kWellKnown) {
      if (type.full_name() == name) return std::string(schema);
    }
    Add(type);
    return ObjectWriter()
        .String("$ref", absl::StrCat("#/components/schemas/", SchemaName(type)))
        .Take();
  }

  std::map<std::string, std::string> schemas_;
};

}  // namespace

std::string SchemaName(const Descriptor& type) {
  const std::string& package = type.file()->package();
  const std::string& name = type.full_name();
  return package.empty() ? name : name.substr(package.size() + 1);
}

std::string JsonSchemas(absl::Span<const Descriptor* const> roots) {
  Schemas schemas;
  for (const Descriptor* root : roots) schemas.Add(*root);
  return schemas.Take();
}

}  // namespace troika
