#include "agent/launch/json.h"

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json_writer.h"

namespace troika {
namespace {

std::string Quoted(absl::string_view text) {
  std::string out;
  json::AppendQuoted(text, &out);
  return out;
}

std::string ToJson(const std::string& value) { return Quoted(value); }
std::string ToJson(bool value) { return value ? "true" : "false"; }
std::string ToJson(const std::optional<bool>& value) { return ToJson(*value); }
std::string ToJson(const std::optional<EditMode>& value) {
  return Quoted(EditModeId(*value));
}
std::string ToJson(const std::vector<std::string>& value) {
  const auto quote = [](std::string* out, const std::string& text) {
    json::AppendQuoted(text, out);
  };
  return absl::StrCat("[", absl::StrJoin(value, ",", quote), "]");
}

// What a field may hold, where the value is none of it; else nothing.
using Wanted = absl::string_view;

Wanted FromJson(json::Value value, std::string* out) {
  *out = std::string(value.StringOr(""));
  return value.IsString() ? "" : "a string";
}
Wanted FromJson(json::Value value, bool* out) {
  *out = value.BoolOr(false);
  return value.Bool() ? "" : "true or false";
}
Wanted FromJson(json::Value value, std::optional<bool>* out) {
  *out = value.Bool();
  return *out ? "" : "true or false";
}
Wanted FromJson(json::Value value, std::optional<EditMode>* out) {
  *out = EditModeFromId(value.StringOr(""));
  return *out ? "" : "research, auto_edit, full_auto or dangerous";
}
Wanted FromJson(json::Value value, std::vector<std::string>* out) {
  if (!value.IsArray()) return "an array of strings";
  for (const json::Value item : value.items()) {
    if (!item.IsString()) return "an array of strings";
    out->emplace_back(item.StringOr(""));
  }
  return "";
}

}  // namespace

std::string LaunchOptionsToJson(const LaunchOptions& options) {
  json::ObjectWriter writer;
  for (const LaunchField& field : LaunchFields()) {
    if (!IsSet(options, field)) continue;
    std::visit(
        [&](auto member) { writer.Json(field.name, ToJson(options.*member)); },
        field.member);
  }
  return writer.Take();
}

absl::StatusOr<LaunchOptions> LaunchOptionsFromJson(json::Value object) {
  if (!object.IsObject()) {
    return absl::InvalidArgumentError(
        absl::StrCat("read launch options: must be an object, not ",
                     json::TypeName(object.type())));
  }
  LaunchOptions options;
  for (const LaunchField& field : LaunchFields()) {
    const json::Value value = object.Get(field.name);
    if (!value.exists() || value.IsNull()) continue;
    const Wanted wanted = std::visit(
        [&](auto member) { return FromJson(value, &(options.*member)); },
        field.member);
    if (!wanted.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "read launch options: ", field.name, " must be ", wanted));
    }
  }
  return options;
}

}  // namespace troika
