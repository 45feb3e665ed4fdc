#include "policy/rules.h"

#include <utility>

#include "base/status_macros.h"
#include "policy/read_rules.h"
#include "policy/rules_data.h"

namespace troika::policy {
namespace {

template <typename T>
void Append(const std::vector<T>& from, std::vector<T>* to) {
  to->insert(to->end(), from.begin(), from.end());
}

// As Codex does, the later file's paths replace those of earlier files.
void Append(const RuleLists& from, RuleLists* to) {
  Append(from.prefix_rules, &to->prefix_rules);
  Append(from.edit_rules, &to->edit_rules);
  Append(from.tool_rules, &to->tool_rules);
  for (const auto& [name, paths] : from.host_executables) {
    to->host_executables[name] = paths;
  }
  Append(from.broken, &to->broken);
}

}  // namespace

absl::string_view DecisionName(Decision decision) {
  switch (decision) {
    case Decision::kAllow:
      return "allow";
    case Decision::kPrompt:
      return "prompt";
    case Decision::kForbidden:
      return "forbidden";
  }
  return "";
}

MatchedRule ToMatchedRule(const RuleHead& rule) {
  return {.source = rule.source,
          .decision = rule.decision,
          .justification = rule.justification};
}

Rules::Data::Data(RuleLists all) : lists(std::move(all)) {
  could_restrict = !lists.broken.empty();
  for (size_t i = 0; i < lists.prefix_rules.size(); ++i) {
    const PrefixRule& rule = *lists.prefix_rules[i];
    prefixes.Add(rule.pattern, static_cast<int>(i), rule.restricts());
    could_restrict |= rule.restricts();
  }
  for (size_t i = 0; i < lists.edit_rules.size(); ++i) {
    const EditRule& rule = *lists.edit_rules[i];
    for (const std::string& path : rule.paths) {
      globs.Add(path, static_cast<int>(i));
    }
    could_restrict |= rule.restricts();
  }
  globs.Compile();
  for (const auto& rule : lists.tool_rules) could_restrict |= rule->restricts();
}

Rules::Rules() : Rules(std::make_shared<const Data>(RuleLists())) {}
Rules::Rules(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

absl::StatusOr<Rules> Rules::Parse(const FileText& file, Dialect dialect) {
  return ParseInOrder(absl::MakeConstSpan(&file, 1), dialect);
}

absl::StatusOr<Rules> Rules::ParseInOrder(absl::Span<const FileText> files,
                                          Dialect dialect) {
  RuleLists lists;
  for (const FileText& file : files) {
    RETURN_IF_ERROR(ReadRules(file, dialect, &lists));
  }
  return Rules(std::make_shared<const Data>(std::move(lists)));
}

Rules Rules::Broken(const absl::Status& error) {
  RuleLists lists;
  lists.broken.emplace_back(error.message());
  return Rules(std::make_shared<const Data>(std::move(lists)));
}

Rules Rules::ParseOrBroken(const FileText& file, Dialect dialect) {
  absl::StatusOr<Rules> rules = Parse(file, dialect);
  return rules.ok() ? *std::move(rules) : Broken(rules.status());
}

Rules Rules::Combine(absl::Span<const Rules> parts) {
  RuleLists lists;
  for (const Rules& part : parts) Append(part.data().lists, &lists);
  return Rules(std::make_shared<const Data>(std::move(lists)));
}

bool Rules::empty() const {
  const RuleLists& lists = data_->lists;
  return lists.prefix_rules.empty() && lists.edit_rules.empty() &&
         lists.tool_rules.empty() && lists.broken.empty();
}

bool Rules::CouldRestrict() const { return data_->could_restrict; }

const std::vector<std::string>& Rules::broken() const {
  return data_->lists.broken;
}

}  // namespace troika::policy
