#include "policy/arguments.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"

namespace troika::policy {

absl::Status Arguments::Bind(const Signature& signature) {
  parameters_ = signature.parameters;
  values_.assign(parameters_.size(), nullptr);
  for (size_t i = 0; i < call_.arguments.size(); ++i) {
    const Argument& argument = call_.arguments[i];
    size_t parameter = i;
    if (!argument.name.empty()) {
      parameter =
          std::find(parameters_.begin(), parameters_.end(), argument.name) -
          parameters_.begin();
    }
    if (parameter >= parameters_.size()) {
      return Error(argument.position,
                   argument.name.empty()
                       ? absl::StrCat(call_.function, " takes at most ",
                                      parameters_.size(), " arguments")
                       : absl::StrCat(call_.function, " has no argument `",
                                      argument.name, "`; it has ",
                                      absl::StrJoin(parameters_, ", ")));
    }
    if (values_[parameter] != nullptr) {
      return Error(argument.position, absl::StrCat("`", parameters_[parameter],
                                                   "` is given twice"));
    }
    values_[parameter] = &argument.value;
  }
  for (size_t i = 0; i < signature.needed; ++i) {
    if (values_[i] != nullptr) continue;
    return Error(call_.position,
                 absl::StrCat(call_.function, " needs `", parameters_[i], "`"));
  }
  return absl::OkStatus();
}

const Value* Arguments::Get(absl::string_view parameter) const {
  const auto found =
      std::find(parameters_.begin(), parameters_.end(), parameter);
  if (found == parameters_.end()) return nullptr;
  return values_[found - parameters_.begin()];
}

absl::StatusOr<std::string> Arguments::Text(absl::string_view parameter) const {
  const Value* value = Get(parameter);
  if (value == nullptr) return "";
  if (!value->is_list) return value->text;
  return Error(value->position,
               absl::StrCat("`", parameter, "` must be a string"));
}

absl::StatusOr<std::vector<std::string>> Arguments::Strings(
    absl::string_view parameter, Form form) const {
  const Value& value = *Get(parameter);
  if (value.is_list) return ItemsOf(value, parameter);
  if (form == Form::kListOrString) return std::vector<std::string>{value.text};
  return Error(value.position,
               absl::StrCat("`", parameter, "` must be a list"));
}

absl::StatusOr<std::vector<std::string>> Arguments::ItemsOf(
    const Value& list, absl::string_view parameter) const {
  std::vector<std::string> texts;
  for (const Value& item : list.items) {
    if (item.is_list) {
      return Error(item.position,
                   absl::StrCat("`", parameter,
                                "` has a list in the place of a string"));
    }
    texts.push_back(item.text);
  }
  return texts;
}

absl::Status Arguments::ReadHead(RuleHead* rule) const {
  rule->source = {
      .file = file_.file, .line = call_.position.line, .text = call_.text};
  ASSIGN_OR_RETURN(const std::string decision, Text("decision"));
  if (decision == "prompt") {
    rule->decision = Decision::kPrompt;
  } else if (decision == "forbidden" ||
             (decision == "deny" && call_.function == "network_rule")) {
    rule->decision = Decision::kForbidden;
  } else if (Get("decision") != nullptr && decision != "allow") {
    return Error(Get("decision")->position,
                 absl::StrCat("there is no decision \"", decision,
                              "\"; there are allow, prompt and forbidden"));
  }
  if (Get("justification") == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(rule->justification, Text("justification"));
  if (absl::StripAsciiWhitespace(rule->justification).empty()) {
    return Error(Get("justification")->position,
                 "`justification` can't be empty");
  }
  return absl::OkStatus();
}

}  // namespace troika::policy
