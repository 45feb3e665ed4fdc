// Answers approvals by rules, before people are asked.
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "task/answer.h"
#include "task/approval_rules.h"
#include "task/runner.h"

namespace troika {

void Runner::ConsultRules() {
  if (!tools_.judge) return;
  if (const auto verdict = judging_.verdict.Take()) {
    judging_.done.insert(judging_.asked);
    ApplyVerdict(judging_.asked, *verdict);
  }
  if (judging_.verdict.busy()) return;
  for (const auto& [id, pending] : state().approvals) {
    if (pending.answered || pending.consulted ||
        !AsksRules(pending.request.kind) ||
        judging_.done.contains(pending.asked)) {
      continue;
    }
    judging_.asked = pending.asked;
    judging_.verdict.Start(
        &tools_.executor,
        [judge = tools_.judge,
         asked = PolicyCase{.copied = request().policy,
                            .granted = state().granted_rules,
                            .cwd = request().cwd,
                            .policy_folder = request().policy_folder,
                            .approval = pending.request}] {
          return judge(asked);
        });
    // Without an executor the verdict is there.
    if (!judging_.verdict.running()) ConsultRules();
    return;
  }
}

void Runner::ApplyVerdict(const EventId& asked,
                          const policy::Verdict& verdict) {
  for (const auto& [id, pending] : state().approvals) {
    // A person may have answered it meanwhile, or the agent withdrawn it.
    if (pending.asked != asked || pending.answered) continue;
    if (!verdict.allowed() && !verdict.forbidden()) {
      judging_.left.insert(asked);
      if (verdict.explanation.empty() && verdict.matched.empty()) return;
      return AppendNote(notes::PersonAsked{.id = id,
                                           .explanation = verdict.explanation,
                                           .rules = DecidingRules(verdict)},
                        absl::StrCat("asked-", EventIdText(asked)))
          .IgnoreError();
    }
    ApprovalAnswer answer = {.allow = verdict.allowed(),
                             .reason = "",
                             .input_json = "",
                             .choice = std::string(kApprove)};
    if (verdict.forbidden()) {
      answer.reason = DenialReason(verdict);
      answer.choice = std::string(DenialChoice(pending.request));
    }
    const absl::Status answered = Respond({.id = id,
                                           .by = std::string(kByRule),
                                           .via = "",
                                           .rules = DecidingRules(verdict),
                                           .answer = std::move(answer)});
    if (!answered.ok()) judging_.left.insert(asked);
    return;
  }
}

bool Runner::IsLeftToPerson(const Pending<Approval>& pending) const {
  return !tools_.judge || pending.consulted ||
         !AsksRules(pending.request.kind) ||
         judging_.left.contains(pending.asked);
}

}  // namespace troika
