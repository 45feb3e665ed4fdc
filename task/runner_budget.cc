// Compares what a task has used with its budgets, asks whether to go on, and
// continues what was ended for that.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "task/budget.h"
#include "task/request.h"
#include "task/runner.h"

namespace troika {
namespace {

using notes::BudgetAmount;
using notes::BudgetKind;

// Whether an input is being sent that the agent does not have yet. It would be
// lost with its turn.
bool HasUndelivered(const TaskState& state) {
  for (const TaskInput& input : state.inputs) {
    if (input.receipt.state == Receipt::State::kQueued && !input.waits()) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool Runner::AsksNow() const {
  return AsksForBudget(state()) || sent_budget_.asked > state().budget.asked;
}

std::vector<BudgetAmount> Runner::ReachedBudgets() const {
  std::vector<BudgetAmount> reached =
      AmountsOf(state(), tools_.shared_budgets ? tools_.shared_budgets()
                                               : std::vector<BudgetAmount>());
  std::erase_if(reached, [](const auto& amount) { return !IsUsedUp(amount); });
  return reached;
}

absl::Status Runner::AskForBudget(std::vector<BudgetAmount> reached) {
  const int number = state().budget.asked + 1;
  sent_budget_.asked = number;
  return AppendNote(
      notes::BudgetAsked{.number = number, .reached = std::move(reached)},
      BudgetApprovalId(number));
}

absl::StatusOr<bool> Runner::BudgetHoldsTurn() {
  if (AsksNow()) return true;
  std::vector<BudgetAmount> reached = ReachedBudgets();
  // A turn that waits for its process was counted when it was asked for.
  if (state().turns_waiting > 0) {
    std::erase_if(reached, [](const auto& amount) {
      return amount.kind == BudgetKind::kTurns;
    });
  }
  if (reached.empty()) return false;
  RETURN_IF_ERROR(AskForBudget(std::move(reached)));
  return true;
}

absl::Status Runner::CheckBudgets() {
  const bool time_is_due = std::exchange(sent_budget_.time_is_due, false);
  if (role() == relay::Role::kWatcher || !state().imported_from.empty()) {
    return absl::OkStatus();
  }
  if (AsksForBudget(state())) {
    InterruptForBudget();
    return absl::OkStatus();
  }
  if (AsksNow()) return absl::OkStatus();
  const bool in_turn = state().process_alive && state().turn_open &&
                       state().ending.kind == Ending::Kind::kNone;
  std::vector<BudgetAmount> reached;
  for (BudgetAmount& amount : AmountsOf(
           state(), tools_.shared_budgets ? tools_.shared_budgets()
                                          : std::vector<BudgetAmount>())) {
    const std::string key = BudgetKey(amount);
    if (amount.kind == BudgetKind::kTime && time_is_due) {
      // The clock says so; the log tells no time while the agent is silent.
      const bool all = state().budget.warned.contains(key);
      amount.used = std::max(
          amount.used, all ? amount.limit : amount.limit - amount.limit / 5);
    }
    // The turn that runs is within its number.
    if (in_turn && IsUsedUp(amount) && amount.kind != BudgetKind::kTurns) {
      reached.push_back(std::move(amount));
    } else if (IsNearlyUsedUp(amount) && !state().budget.warned.contains(key) &&
               sent_budget_.warned.insert(key).second) {
      RETURN_IF_ERROR(AppendNote(notes::BudgetWarned{.amount = amount},
                                 NextKey("budget-warned")));
    }
  }
  std::erase_if(sent_budget_.warned, [&](const std::string& key) {
    return state().budget.warned.contains(key);
  });
  if (reached.empty()) return absl::OkStatus();
  return AskForBudget(std::move(reached));
}

void Runner::InterruptForBudget() {
  const int number = state().budget.asked;
  if (!state().process_alive || !state().turn_open ||
      state().ending.kind != Ending::Kind::kNone || HasUndelivered(state()) ||
      sent_budget_.interrupted == number) {
    return;
  }
  sent_budget_.interrupted = number;
  std::vector<std::string> used;
  for (const BudgetAmount& amount : state().budget.reached) {
    used.push_back(UsedText(amount));
  }
  SendInterrupt(
      {.by = std::string(kByBudget), .reason = absl::StrJoin(used, ", and ")},
      absl::StrCat("interrupt-for-", BudgetApprovalId(number)))
      .IgnoreError();
}

absl::Status Runner::SendGoOn() {
  const TaskState& now = state();
  const int number = now.budget.asked;
  if (role() == relay::Role::kWatcher || sent_budget_.gone_on == number ||
      !settled() || now.last_record < acknowledged_record_ || blocked() ||
      now.turns_waiting > 0) {
    return absl::OkStatus();
  }
  if (now.process_alive &&
      (now.turn_open || now.input_closed || now.session_mismatch ||
       !follower_->replay().capabilities().follow_up)) {
    return absl::OkStatus();  // The process ends soon.
  }
  const TurnRequest turn = {.prompt = std::string(kGoOn)};
  const absl::Status can = CheckNextProcess(turn);
  RETURN_IF_ERROR(AppendTurn({.prompt = turn.prompt,
                              .by = std::string(kByBudget),
                              .request_key = GoOnKey(number)},
                             turn));
  sent_budget_.gone_on = number;
  // The turn fails with the reason.
  if (!can.ok()) Start(can);
  return absl::OkStatus();
}

absl::Status Runner::NoteSubtask(const notes::SubtaskUsed& used) {
  RETURN_IF_ERROR(CheckReady());
  RETURN_IF_ERROR(CheckDriver());
  const notes::Budget& limits = state().budget.limits;
  const bool counts =
      limits.cost_microusd || limits.tokens || !state().parent.empty();
  const auto known = state().budget.subtasks.find(used.task);
  const bool is_new =
      known == state().budget.subtasks.end() || known->second != used;
  if (!counts || !is_new) return absl::OkStatus();
  return AppendNote(used, NextKey("subtask"));
}

absl::Status Runner::DenyBudget(absl::string_view by,
                                absl::string_view reason) {
  if (by != "user") {
    return absl::FailedPreconditionError(absl::StrCat(
        "task ", folder_.id,
        " asks its user whether to go on with its budget, and does nothing "
        "until that is answered"));
  }
  for (const auto& [id, pending] : state().approvals) {
    if (pending.request.kind != Approval::Kind::kBudget) continue;
    return Respond({.id = id,
                    .by = std::string(by),
                    .answer = ApprovalAnswer{.reason = std::string(reason),
                                             .choice = std::string(kDeny)}});
  }
  return absl::OkStatus();
}

}  // namespace troika
