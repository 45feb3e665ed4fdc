#include "dto/json_schema.h"

#include <map>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/json_writer.h"

namespace troika {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::EnumDescriptor;
using ::google::protobuf::FieldDescriptor;
using json::ObjectWriter;

std::string TypeSchema(absl::string_view type) {
  return ObjectWriter().String("type", type).Take();
}

std::string StringSchema(absl::string_view key, absl::string_view value) {
  return ObjectWriter().String("type", "string").String(key, value).Take();
}

std::string EnumSchema(const EnumDescriptor& type) {
  std::string names = "[";
  for (int i = 0; i < type.value_count(); ++i) {
    if (i > 0) names += ",";
    json::AppendQuoted(type.value(i)->name(), &names);
  }
  return ObjectWriter()
      .String("type", "string")
      .Json("enum", absl::StrCat(names, "]"))
      .Take();
}

std::string NumberSchema() {
  // "NaN", "Infinity" and "-Infinity" are strings, as JSON has no such numbers.
  return ObjectWriter()
      .Json("type", R"(["number","string"])")
      .String("format", "double")
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
        return TypeSchema("boolean");
      case FieldDescriptor::CPPTYPE_INT32:
      case FieldDescriptor::CPPTYPE_UINT32:
        return ObjectWriter()
            .String("type", "integer")
            .String("format", "int32")
            .Take();
      case FieldDescriptor::CPPTYPE_INT64:
      case FieldDescriptor::CPPTYPE_UINT64:
        return StringSchema("format", "int64");
      case FieldDescriptor::CPPTYPE_FLOAT:
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return NumberSchema();
      case FieldDescriptor::CPPTYPE_ENUM:
        return EnumSchema(*field.enum_type());
      case FieldDescriptor::CPPTYPE_STRING:
        return field.type() == FieldDescriptor::TYPE_BYTES
                   ? StringSchema("contentEncoding", "base64")
                   : TypeSchema("string");
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return MessageSchema(*field.message_type());
    }
    return "{}";
  }

  std::string MessageSchema(const Descriptor& type) {
    const absl::string_view name = type.full_name();
    if (name == "google.protobuf.Timestamp") {
      return StringSchema("format", "date-time");
    }
    if (name == "google.protobuf.Duration") {
      return StringSchema("pattern", R"(^-?[0-9]+(\.[0-9]{1,9})?s$)");
    }
    if (name == "google.protobuf.Value") return "{}";
    if (name == "google.protobuf.Struct") return TypeSchema("object");
    if (name == "google.protobuf.ListValue") return TypeSchema("array");
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
