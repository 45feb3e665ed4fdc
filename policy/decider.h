// Adds up what rules say of the parts of a request. Only for the sources of
// this library.
#ifndef TROIKA_POLICY_DECIDER_H_
#define TROIKA_POLICY_DECIDER_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "policy/decide.h"

namespace troika::policy {

// A request is forbidden if any part is; else it is asked if any part is, or if
// no rule speaks of it; else it is allowed.
class Decider {
 public:
  // `rules`: how many there are.
  explicit Decider(size_t rules) : seen_(rules) {}

  // A rule speaks of a part. Returns true if it had not matched before.
  bool Matched(int rule, Decision decision);
  // A part is not understood, for the reason `problem`.
  void Ask(absl::string_view problem);
  // No rule speaks of a part. Only the first text is asked for.
  void Unknown(absl::FunctionRef<std::string()> explanation);

  // `broken` as Rules has it. `describe` makes a rule's entry.
  Verdict Finish(const std::vector<std::string>& broken,
                 absl::FunctionRef<MatchedRule(int)> describe) const;

 private:
  struct RuleDecision {
    int rule;
    Decision decision;
  };

  std::optional<Decision> Sum() const;

  std::vector<bool> seen_;  // By rule.
  std::vector<RuleDecision> matched_;
  std::optional<Decision> strictest_;
  std::optional<std::string> problem_;
  std::optional<std::string> unknown_;
};

}  // namespace troika::policy

#endif  // TROIKA_POLICY_DECIDER_H_
