#include "mcp/schema.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/check.h"
#include "base/json_writer.h"
#include "base/status_macros.h"

namespace troika::mcp {
namespace {

std::string Quoted(absl::string_view text) {
  std::string json;
  json::AppendQuoted(text, &json);
  return json;
}

std::string QuotedList(absl::Span<const std::string> texts) {
  return absl::StrCat(
      "[",
      absl::StrJoin(texts, ",",
                    [](std::string* out, const std::string& text) {
                      out->append(Quoted(text));
                    }),
      "]");
}

std::string FieldSchema(const Field& field) {
  json::ObjectWriter schema;
  switch (field.type) {
    case Field::Type::kString:
      schema.String("type", "string");
      if (field.values.empty()) {
        schema.Json("minLength", "1");
      } else {
        schema.Json("enum", QuotedList(field.values));
      }
      break;
    case Field::Type::kInteger:
      schema.String("type", "integer")
          .Json("minimum", absl::StrCat(field.min))
          .Json("maximum", absl::StrCat(field.max));
      break;
    case Field::Type::kBoolean:
      schema.String("type", "boolean");
      break;
    case Field::Type::kStrings:
      schema.String("type", "array")
          .Json("items", R"({"type":"string"})")
          .Json("maxItems", absl::StrCat(field.max));
      break;
    case Field::Type::kObject:
      schema.String("type", "object");
      break;
  }
  schema.String("description", field.description);
  if (!field.default_json.empty()) schema.Json("default", field.default_json);
  return schema.Take();
}

absl::Status Wrong(const Field& field, absl::string_view must) {
  return absl::InvalidArgumentError(absl::StrCat(field.name, ": must ", must));
}

absl::StatusOr<std::string> ReadText(const Field& field, json::Value value) {
  if (!value.IsString()) return Wrong(field, "be a string");
  std::string text(value.StringOr(""));
  if (!field.values.empty() &&
      std::find(field.values.begin(), field.values.end(), text) ==
          field.values.end()) {
    return Wrong(field,
                 absl::StrCat("be one of ", absl::StrJoin(field.values, ", ")));
  }
  if (text.empty()) return Wrong(field, "not be empty");
  if (text.size() > field.max_bytes) {
    return Wrong(field,
                 absl::StrCat("have at most ", field.max_bytes, " bytes"));
  }
  if (text.find('\0') != std::string::npos) {
    return Wrong(field, "have no NUL character");
  }
  return text;
}

absl::StatusOr<std::vector<std::string>> ReadTexts(const Field& field,
                                                   json::Value value) {
  if (!value.IsArray()) return Wrong(field, "be an array of strings");
  if (value.size() > static_cast<size_t>(field.max)) {
    return Wrong(field, absl::StrCat("have at most ", field.max, " entries"));
  }
  std::vector<std::string> texts;
  size_t bytes = 0;
  for (const json::Value item : value.items()) {
    if (!item.IsString()) return Wrong(field, "be an array of strings");
    texts.emplace_back(item.StringOr(""));
    bytes += texts.back().size();
  }
  if (bytes > field.max_bytes) {
    return Wrong(field, absl::StrCat("have at most ", field.max_bytes,
                                     " bytes together"));
  }
  return texts;
}

}  // namespace

std::string InputSchema(absl::Span<const Field> fields) {
  json::ObjectWriter properties;
  std::vector<std::string> required;
  for (const Field& field : fields) {
    properties.Json(field.name, FieldSchema(field));
    if (field.need == Field::Need::kRequired) required.push_back(field.name);
  }
  json::ObjectWriter schema;
  schema.String("type", "object").Json("properties", properties.Take());
  if (!required.empty()) schema.Json("required", QuotedList(required));
  schema.Json("additionalProperties", "false");
  return schema.Take();
}

absl::StatusOr<Arguments::Value> Arguments::ReadValue(const Field& field,
                                                      json::Value value) {
  switch (field.type) {
    case Field::Type::kString: {
      ASSIGN_OR_RETURN(std::string text, ReadText(field, value));
      return Value(std::move(text));
    }
    case Field::Type::kInteger: {
      const auto number = value.Int();
      if (!number || *number < field.min || *number > field.max) {
        return Wrong(field, absl::StrCat("be an integer from ", field.min,
                                         " to ", field.max));
      }
      return Value(*number);
    }
    case Field::Type::kBoolean: {
      const auto boolean = value.Bool();
      if (!boolean) return Wrong(field, "be true or false");
      return Value(*boolean);
    }
    case Field::Type::kStrings: {
      ASSIGN_OR_RETURN(std::vector<std::string> texts, ReadTexts(field, value));
      return Value(std::move(texts));
    }
    case Field::Type::kObject: {
      if (!value.IsObject()) return Wrong(field, "be an object");
      std::string json = value.ToJson();
      if (json.size() > field.max_bytes) {
        return Wrong(field,
                     absl::StrCat("have at most ", field.max_bytes, " bytes"));
      }
      return Value(std::move(json));
    }
  }
  return absl::InternalError("unknown type of field");
}

absl::StatusOr<Arguments> Arguments::Read(absl::Span<const Field> fields,
                                          json::Value arguments) {
  if (arguments.exists() && !arguments.IsNull() && !arguments.IsObject()) {
    return absl::InvalidArgumentError("arguments: must be an object");
  }
  Arguments read;
  for (const json::Member& member : arguments.members()) {
    const auto known = std::find_if(
        fields.begin(), fields.end(),
        [&](const Field& field) { return field.name == member.key; });
    if (known != fields.end()) continue;
    const std::string names = absl::StrJoin(
        fields, ", ",
        [](std::string* out, const Field& field) { out->append(field.name); });
    return absl::InvalidArgumentError(
        absl::StrCat(member.key, ": there is no such field; ",
                     names.empty() ? "this tool takes none"
                                   : absl::StrCat("this tool takes ", names)));
  }
  json::Parser parser;
  for (const Field& field : fields) {
    if (!field.default_json.empty()) {
      const auto value = parser.Parse(field.default_json);
      CHECK(value.ok());
      auto parsed = ReadValue(field, *value);
      CHECK(parsed.ok());
      read.defaults_[field.name] = *std::move(parsed);
    }
    const json::Value value = arguments.Get(field.name);
    if (!value.exists() || value.IsNull()) {
      if (field.need == Field::Need::kOptional) continue;
      return absl::InvalidArgumentError(
          absl::StrCat(field.name, ": is required"));
    }
    ASSIGN_OR_RETURN(read.given_[field.name], ReadValue(field, value));
  }
  return read;
}

template <typename T>
T Arguments::Get(absl::string_view name) const {
  for (const auto* values : {&given_, &defaults_}) {
    if (const auto it = values->find(name); it != values->end()) {
      const T* const value = std::get_if<T>(&it->second);
      CHECK(value != nullptr);
      return *value;
    }
  }
  return T();
}

std::string Arguments::String(absl::string_view name) const {
  return Get<std::string>(name);
}
int64_t Arguments::Int(absl::string_view name) const {
  return Get<int64_t>(name);
}
bool Arguments::Bool(absl::string_view name) const { return Get<bool>(name); }
std::vector<std::string> Arguments::Strings(absl::string_view name) const {
  return Get<std::vector<std::string>>(name);
}

}  // namespace troika::mcp
