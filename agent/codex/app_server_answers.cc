#include "agent/codex/app_server_answers.h"

#include <cstdint>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "agent/message.h"
#include "base/json_writer.h"

namespace troika::codex {
namespace {

constexpr absl::string_view kDeclined =
    R"({"action":"decline","content":null,"_meta":null})";

bool Lists(json::Value decisions, absl::string_view name) {
  for (const json::Value decision : decisions.items()) {
    if (decision.StringOr("") == name) return true;
  }
  return false;
}

}  // namespace

std::string DecisionResult(absl::string_view choice) {
  absl::string_view decision = "decline";
  if (choice == kApprove) decision = "accept";
  if (choice == kApproveForSession) decision = "acceptForSession";
  if (choice == kCancel) decision = "cancel";
  return json::ObjectWriter().String("decision", decision).Take();
}

std::string PermissionsResult(absl::string_view choice,
                              absl::string_view requested_json) {
  const bool session = choice == kApproveForSession;
  json::ObjectWriter granted;
  if (session || choice == kApprove) {
    // The request has null where the reply must leave a member out.
    json::Parser parser;
    const auto requested = parser.Parse(requested_json);
    if (requested.ok()) {
      for (const json::Member& member : requested->members()) {
        if (!member.value.IsNull()) granted.Value(member.key, member.value);
      }
    }
  }
  return json::ObjectWriter()
      .Json("permissions", granted.Take())
      .String("scope", session ? "session" : "turn")
      .Take();
}

std::string ToolFormResult(absl::string_view choice) {
  if (choice == kApprove) return FormResult("{}");
  if (choice == kApproveForSession) {
    return R"({"action":"accept","content":{},"_meta":{"persist":"session"}})";
  }
  if (choice == kCancel) {
    return R"({"action":"cancel","content":null,"_meta":null})";
  }
  return std::string(kDeclined);
}

std::string FormResult(absl::string_view content_json) {
  return json::ObjectWriter()
      .String("action", "accept")
      .Json("content", content_json)
      .Json("_meta", "null")
      .Take();
}

absl::string_view ChoiceOf(json::Value result) {
  const json::Value decision = result.Get("decision");
  if (decision.exists()) {
    const absl::string_view name = decision.StringOr("");
    if (name == "acceptForSession") return kApproveForSession;
    if (name == "cancel") return kCancel;
    // Accepting with an amendment of a policy is an object.
    const bool amended = decision.Get("acceptWithExecpolicyAmendment").exists();
    return name == "accept" || amended ? kApprove : kDeny;
  }
  const json::Value action = result.Get("action");
  if (action.exists()) {
    if (action.StringOr("") == "cancel") return kCancel;
    if (action.StringOr("") != "accept") return kDeny;
    return result.Get("_meta").Get("persist").exists() ? kApproveForSession
                                                       : kApprove;
  }
  if (result.Get("permissions").size() == 0) return kDeny;
  return result.Get("scope").StringOr("") == "session" ? kApproveForSession
                                                       : kApprove;
}

std::vector<std::string> ChoicesOf(json::Value decisions) {
  // Older versions list none and take all of them.
  const bool all = !decisions.IsArray();
  std::vector<std::string> choices;
  const auto add = [&](bool offered, absl::string_view choice) {
    if (offered) choices.emplace_back(choice);
  };
  add(all || Lists(decisions, "accept"), kApprove);
  add(all || Lists(decisions, "acceptForSession"), kApproveForSession);
  add(true, kDeny);
  add(all || Lists(decisions, "cancel"), kCancel);
  return choices;
}

std::optional<std::string> FieldValue(absl::string_view type,
                                      const std::vector<std::string>& answers) {
  std::string json;
  if (type == "array") {
    json = "[";
    for (const std::string& answer : answers) {
      if (json.size() > 1) json.push_back(',');
      json::AppendQuoted(answer, &json);
    }
    json.push_back(']');
    return json;
  }
  if (answers.size() != 1) return std::nullopt;
  const std::string& answer = answers[0];
  if (type == "boolean") {
    if (answer != "true" && answer != "false") return std::nullopt;
    return answer;
  }
  if (type == "integer" || type == "number") {
    int64_t whole = 0;
    if (absl::SimpleAtoi(answer, &whole)) return absl::StrCat(whole);
    json::Parser parser;
    const auto value = parser.Parse(answer);
    const bool number = value.ok() && value->Double().has_value();
    if (!number || type == "integer") return std::nullopt;
    return value->ToJson();
  }
  json::AppendQuoted(answer, &json);
  return json;
}

}  // namespace troika::codex
