#include "mcp/elicitation.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json_writer.h"
#include "base/status_macros.h"

namespace troika::mcp {
namespace {

constexpr absl::string_view kMethod = "elicitation/create";
constexpr size_t kMaxValue = size_t{64} << 10;

std::string Quoted(absl::string_view text) {
  std::string json;
  json::AppendQuoted(text, &json);
  return json;
}

std::string QuotedList(const std::vector<std::string>& texts) {
  return absl::StrCat(
      "[",
      absl::StrJoin(texts, ",",
                    [](std::string* out, const std::string& text) {
                      out->append(Quoted(text));
                    }),
      "]");
}

std::string FieldSchema(const FormField& field) {
  json::ObjectWriter schema;
  schema
      .String("type",
              field.type == FormField::Type::kBoolean ? "boolean" : "string")
      .String("title", field.title);
  if (field.type == FormField::Type::kChoice) {
    schema.Json("enum", QuotedList(field.choices));
  }
  return schema.Take();
}

std::string FormSchema(const Form& form) {
  json::ObjectWriter properties;
  std::vector<std::string> required;
  for (const FormField& field : form.fields) {
    properties.Json(field.name, FieldSchema(field));
    if (field.required) required.push_back(field.name);
  }
  json::ObjectWriter schema;
  schema.String("type", "object").Json("properties", properties.Take());
  if (!required.empty()) schema.Json("required", QuotedList(required));
  return schema.Take();
}

absl::StatusOr<std::string> ReadFormField(const FormField& field,
                                          json::Value value) {
  if (field.type == FormField::Type::kBoolean) {
    const auto boolean = value.Bool();
    if (boolean) return std::string(*boolean ? "true" : "false");
    return absl::InvalidArgumentError(
        absl::StrCat(field.name, ": must be true or false"));
  }
  std::string text(value.StringOr(""));
  if (!value.IsString() || text.size() > kMaxValue) {
    return absl::InvalidArgumentError(absl::StrCat(
        field.name, ": must be a string of at most ", kMaxValue, " bytes"));
  }
  if (field.type == FormField::Type::kChoice &&
      std::find(field.choices.begin(), field.choices.end(), text) ==
          field.choices.end()) {
    return absl::InvalidArgumentError(absl::StrCat(
        field.name, ": must be one of ", absl::StrJoin(field.choices, ", ")));
  }
  return text;
}

}  // namespace

std::string FormParams(const Form& form) {
  return json::ObjectWriter()
      .String("message", form.message)
      .Json("requestedSchema", FormSchema(form))
      .Take();
}

std::string FormRequestLine(const rpc::Id& id, const Form& form) {
  return rpc::RequestLine(id, kMethod, FormParams(form));
}

std::string InputRequests(absl::string_view name, const Form& form) {
  return json::ObjectWriter()
      .Json(name, json::ObjectWriter()
                      .String("method", kMethod)
                      .Json("params", FormParams(form))
                      .Take())
      .Take();
}

std::string InputRequiredResult(absl::string_view name, const Form& form,
                                absl::string_view state) {
  return json::ObjectWriter()
      .String("resultType", "input_required")
      .Json("inputRequests", InputRequests(name, form))
      .String("requestState", state)
      .Take();
}

absl::StatusOr<FormReply> ReadFormReply(const Form& form, json::Value result) {
  const absl::string_view action = result.Get("action").StringOr("");
  if (action == "decline") {
    return FormReply{.action = FormReply::Action::kDecline};
  }
  if (action == "cancel") {
    return FormReply{.action = FormReply::Action::kCancel};
  }
  if (action != "accept") {
    return absl::InvalidArgumentError(
        "action: must be accept, decline or cancel");
  }
  FormReply reply = {.action = FormReply::Action::kAccept};
  const json::Value content = result.Get("content");
  for (const FormField& field : form.fields) {
    const json::Value value = content.Get(field.name);
    if (!value.exists() || value.IsNull()) {
      if (!field.required) continue;
      return absl::InvalidArgumentError(
          absl::StrCat(field.name, ": is required"));
    }
    ASSIGN_OR_RETURN(std::string text, ReadFormField(field, value));
    if (!text.empty()) reply.values[field.name] = std::move(text);
  }
  return reply;
}

}  // namespace troika::mcp
