// Budgets: what a task may use before it asks whether to go on.
//
// All of it is computed from the task's log. The runner compares what is used
// with the limits and notes what it finds (notes::BudgetWarned, BudgetAsked);
// the approval that a task then asks for is Troika's own and needs no process.
// docs/budgets.md has the rules.
#ifndef TROIKA_TASK_BUDGET_H_
#define TROIKA_TASK_BUDGET_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "agent/message.h"
#include "agent/protocol.h"
#include "task/notes.h"
#include "task/state.h"

namespace troika {

// The originator of interrupts and turns that a budget causes.
inline constexpr absl::string_view kByBudget = "budget";

// The id of the task's number-th approval of the kind budget.
std::string BudgetApprovalId(int number);
// The request key of the turn that continues after that approval.
std::string GoOnKey(int number);
// Whether the task asks whether to go on, and nobody has answered.
bool AsksForBudget(const TaskState& state);
// Whether a turn that was ended for a budget is to be continued now.
bool OwesGoOn(const TaskState& state);
// Whether the last process tells its usage within a turn, not only at its end;
// nothing if there was no process.
std::optional<bool> TellsUsageWithinTurn(const TaskState& state);

// Counts what a message tells of usage.
void CountUse(const Usage& usage, std::optional<absl::Time> time,
              TaskState* state);
// Counts what a task that this one's agent started has used.
void CountSubtask(const notes::SubtaskUsed& used, TaskState* state);
// What the task has used, for the one whose agent started it.
notes::SubtaskUsed UsedBy(const TaskState& state);
// Limits of a task that the agent of `state` starts: what is left there, if
// that is less than `limits`.
notes::Budget LimitsWithin(const TaskState& state, notes::Budget limits);
// All tokens, cached ones too; saturates.
int64_t AllTokens(const TokenCounts& counts);
// What the task has used, with the tasks that its agent started; nothing if
// that is not known.
std::optional<int64_t> OwnUse(const TaskState& state, notes::BudgetKind kind);

// Names a limit: the scope and the kind.
std::string BudgetKey(const notes::BudgetAmount& amount);
// The task's own limits, and those that it shares with others, with what is
// used of each. Limits whose use is not known are left out.
std::vector<notes::BudgetAmount> AmountsOf(
    const TaskState& state, absl::Span<const notes::BudgetAmount> shared = {});
inline bool IsUsedUp(const notes::BudgetAmount& amount) {
  return amount.used >= amount.limit;
}
// Whether 80 % are used.
bool IsNearlyUsedUp(const notes::BudgetAmount& amount);
// When, by the clock of AwakeTimes, the working time reaches 80 % of its limit,
// if nothing was told of that yet, or else all of it; nothing if the task does
// not work or has no such limit.
std::optional<absl::Time> TimeBudgetAlarm(const TaskState& state);

// The approval that a task asks for.
Approval BudgetApproval(const notes::BudgetAsked& asked);
// "the task has used 1200 of 1000 tokens"
std::string UsedText(const notes::BudgetAmount& amount);
// Restores what `state` asked about: the task may use as much again.
void GrantBudget(TaskState* state);

}  // namespace troika

#endif  // TROIKA_TASK_BUDGET_H_
