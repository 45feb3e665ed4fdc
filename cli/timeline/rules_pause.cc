#include "cli/timeline/rules_pause.h"

#include <algorithm>
#include <utility>

namespace troika::cli {
namespace {

// Rules answer no other approvals.
bool RulesMayAnswer(const Approval& approval) {
  return approval.explanation.empty() &&
         (approval.kind == Approval::Kind::kCommandLine ||
          approval.kind == Approval::Kind::kEdit ||
          approval.kind == Approval::Kind::kTool);
}

template <typename T>
bool Waits(const Pending<T>& pending) {
  return !pending.answered;
}

}  // namespace

bool RulesPause::PersonIsAsked(const TaskState& state, absl::Time awake) {
  wake_at_ = absl::InfiniteFuture();
  bool asked =
      std::any_of(state.questions.begin(), state.questions.end(),
                  [](const auto& question) { return Waits(question.second); });
  std::map<std::string, absl::Time> seen;
  for (const auto& [id, pending] : state.approvals) {
    if (!Waits(pending)) continue;
    const auto before = seen_.find(id);
    const absl::Time since = before == seen_.end() ? awake : before->second;
    seen.emplace(id, since);
    const absl::Time over = since + kLength;
    if (!RulesMayAnswer(pending.request) || awake >= over) {
      asked = true;
    } else {
      wake_at_ = std::min(wake_at_, over);
    }
  }
  seen_ = std::move(seen);
  return asked;
}

}  // namespace troika::cli
