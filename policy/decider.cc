#include "policy/decider.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace troika::policy {
namespace {

constexpr size_t kMaxMatched = 64;

// Asking is between allowing and forbidding, whether a rule says so or not.
int Strictness(const Verdict& verdict) {
  if (verdict.allowed()) return 0;
  if (verdict.forbidden()) return 3;
  return verdict.decision.has_value() ? 2 : 1;
}

}  // namespace

bool Decider::Matched(int rule, Decision decision) {
  strictest_ = std::max(strictest_.value_or(decision), decision);
  if (seen_[rule]) return false;
  seen_[rule] = true;
  matched_.push_back({.rule = rule, .decision = decision});
  return true;
}

void Decider::Ask(absl::string_view problem) {
  if (!problem_.has_value()) problem_ = std::string(problem);
}

void Decider::Unknown(absl::FunctionRef<std::string()> explanation) {
  if (!unknown_.has_value()) unknown_ = explanation();
}

std::optional<Decision> Decider::Sum() const {
  if (strictest_ != Decision::kAllow) return strictest_;
  if (problem_.has_value() || unknown_.has_value()) return std::nullopt;
  return Decision::kAllow;
}

Verdict Decider::Finish(const std::vector<std::string>& broken,
                        absl::FunctionRef<MatchedRule(int)> describe) const {
  Verdict verdict = {.decision = Sum()};
  if (!verdict.forbidden()) {
    if (!broken.empty()) {
      verdict.explanation = absl::StrCat("a rules file is broken: ", broken[0]);
    } else if (problem_.has_value()) {
      verdict.explanation = *problem_;
    } else if (!verdict.decision.has_value()) {
      verdict.explanation = unknown_.value_or("");
    }
  }
  if (verdict.allowed() && !broken.empty()) {
    verdict.decision = Decision::kPrompt;
    return verdict;
  }
  if (!verdict.decision.has_value()) return verdict;
  for (const RuleDecision& match : matched_) {
    if (match.decision != verdict.decision) continue;
    if (verdict.matched.size() == kMaxMatched) break;
    verdict.matched.push_back(describe(match.rule));
  }
  return verdict;
}

std::string Verdict::Justification() const {
  std::vector<absl::string_view> texts;
  for (const MatchedRule& rule : matched) {
    const absl::string_view text = rule.justification;
    if (text.empty() ||
        std::find(texts.begin(), texts.end(), text) != texts.end()) {
      continue;
    }
    texts.push_back(text);
  }
  return absl::StrJoin(texts, "; ");
}

Verdict Stricter(Verdict a, Verdict b) {
  return Strictness(b) > Strictness(a) ? b : a;
}

}  // namespace troika::policy
