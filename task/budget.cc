#include "task/budget.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "agent/harness.h"

namespace troika {
namespace {

using notes::BudgetAmount;
using notes::BudgetKind;

constexpr absl::Duration kSlot = absl::Minutes(15);
// More than a day has.
constexpr size_t kMaxSlots = 120;
// A log may hold any number of scopes.
constexpr size_t kMaxKeys = 100;
constexpr size_t kMaxSubtasks = 1000;
constexpr double kMaxUsd = 1e12;

int64_t Add(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum)
             ? std::numeric_limits<int64_t>::max()
             : sum;
}

int64_t Microusd(double usd) {
  // A NaN is not above zero.
  return usd > 0 ? static_cast<int64_t>(std::min(usd, kMaxUsd) * 1e6) : 0;
}

void AddSpent(int64_t tokens, int64_t cost, std::optional<absl::Time> time,
              BudgetState* budget) {
  if ((tokens == 0 && cost == 0) || !time) return;
  const int64_t slot = (*time - absl::UnixEpoch()) / kSlot;
  std::vector<SpentSlot>& spent = budget->spent;
  // Times may leap back: slots stay in order, and nothing is lost.
  if (spent.empty() || spent.back().slot < slot) {
    spent.push_back({.slot = slot});
  }
  spent.back().tokens = Add(spent.back().tokens, tokens);
  spent.back().cost_microusd = Add(spent.back().cost_microusd, cost);
  if (spent.size() > kMaxSlots) spent.erase(spent.begin());
}

std::string Quantity(BudgetKind kind, int64_t amount) {
  switch (kind) {
    case BudgetKind::kCost:
      return absl::StrFormat("$%.2f", static_cast<double>(amount) / 1e6);
    case BudgetKind::kTime:
      return absl::FormatDuration(absl::Milliseconds(amount));
    case BudgetKind::kTokens:
    case BudgetKind::kTurns:
      break;
  }
  return absl::StrCat(amount);
}

absl::string_view Unit(BudgetKind kind) {
  switch (kind) {
    case BudgetKind::kCost:
      return "";
    case BudgetKind::kTokens:
      return " tokens";
    case BudgetKind::kTurns:
      return " turns";
    case BudgetKind::kTime:
      return " of working time";
  }
  return "";
}

}  // namespace

std::string BudgetApprovalId(int number) {
  return absl::StrCat("budget-", number);
}

std::string GoOnKey(int number) {
  return absl::StrCat("budget-go-on-", number);
}

bool AsksForBudget(const TaskState& state) {
  return std::any_of(
      state.approvals.begin(), state.approvals.end(), [](const auto& pending) {
        return pending.second.request.kind == Approval::Kind::kBudget;
      });
}

bool OwesGoOn(const TaskState& state) {
  return state.budget.goes_on && !AsksForBudget(state);
}

std::optional<bool> TellsUsageWithinTurn(const TaskState& state) {
  if (!state.wire) return std::nullopt;
  return *state.wire == Wire::kAppServer || (*state.wire == Wire::kStreamJson &&
                                             state.harness == Harness::kClaude);
}

int64_t AllTokens(const TokenCounts& counts) {
  return Add(Add(counts.input, counts.cached),
             Add(counts.cache_write, counts.output));
}

void CountUse(const Usage& usage, std::optional<absl::Time> time,
              TaskState* state) {
  BudgetState& budget = state->budget;
  const int64_t total = AllTokens(usage.total);
  if (budget.has_history && total > 0) {
    budget.has_history = false;
    const int64_t turn = usage.turn ? AllTokens(*usage.turn) : 0;
    budget.tokens_before = std::max<int64_t>(0, total - turn);
  }
  const int64_t tokens_were = budget.tokens;
  const int64_t cost_was = budget.cost_microusd.value_or(0);
  budget.tokens = std::max(budget.tokens, total - budget.tokens_before);
  if (usage.total_cost.source != CostSource::kNone) {
    budget.cost_microusd = std::max(cost_was, Microusd(usage.total_cost.usd));
  }
  AddSpent(budget.tokens - tokens_were,
           budget.cost_microusd.value_or(0) - cost_was, time, &budget);
}

void CountSubtask(const notes::SubtaskUsed& used, TaskState* state) {
  std::map<std::string, notes::SubtaskUsed>& all = state->budget.subtasks;
  // The rest of very many counts together.
  const bool fits = all.contains(used.task) || all.size() < kMaxSubtasks;
  notes::SubtaskUsed& known = all[fits ? used.task : ""];
  known.task = fits ? used.task : "";
  const auto take = [&](int64_t now, int64_t* sum) {
    *sum = fits ? std::max(*sum, now) : Add(*sum, std::max<int64_t>(0, now));
  };
  take(used.tokens, &known.tokens);
  take(used.cost_microusd, &known.cost_microusd);
}

notes::SubtaskUsed UsedBy(const TaskState& state) {
  return {.task = state.task,
          .tokens = OwnUse(state, BudgetKind::kTokens).value_or(0),
          .cost_microusd = OwnUse(state, BudgetKind::kCost).value_or(0)};
}

notes::Budget LimitsWithin(const TaskState& state, notes::Budget limits) {
  const auto lower = [](int64_t left, std::optional<int64_t>* limit) {
    left = std::max<int64_t>(1, left);
    *limit = std::min(limit->value_or(left), left);
  };
  // All of a cost that nobody has told yet may be left.
  const std::optional<int64_t> cost = state.budget.limits.cost_microusd;
  if (cost) lower(*cost, &limits.cost_microusd);
  for (const BudgetAmount& amount : AmountsOf(state)) {
    const int64_t left = amount.limit - amount.used;
    if (amount.kind == BudgetKind::kCost) lower(left, &limits.cost_microusd);
    if (amount.kind == BudgetKind::kTokens) lower(left, &limits.tokens);
    if (amount.kind == BudgetKind::kTime) lower(left, &limits.time_ms);
  }
  return limits;
}

std::optional<int64_t> OwnUse(const TaskState& state, BudgetKind kind) {
  switch (kind) {
    case BudgetKind::kCost: {
      std::optional<int64_t> cost = state.budget.cost_microusd;
      for (const auto& [id, used] : state.budget.subtasks) {
        if (used.cost_microusd > 0) {
          cost = Add(cost.value_or(0), used.cost_microusd);
        }
      }
      return cost;
    }
    case BudgetKind::kTokens: {
      int64_t tokens = state.budget.tokens;
      for (const auto& [id, used] : state.budget.subtasks) {
        tokens = Add(tokens, used.tokens);
      }
      return tokens;
    }
    case BudgetKind::kTurns:
      return state.turns;
    case BudgetKind::kTime:
      break;
  }
  absl::Duration worked = state.worked;
  if (state.awake.working_since && state.awake.now) {
    worked += std::max(*state.awake.now - *state.awake.working_since,
                       absl::ZeroDuration());
  }
  return absl::ToInt64Milliseconds(worked);
}

std::string BudgetKey(const BudgetAmount& amount) {
  return absl::StrCat(amount.scope, amount.scope.empty() ? "" : " ",
                      NameOf(amount.kind));
}

std::vector<BudgetAmount> AmountsOf(const TaskState& state,
                                    absl::Span<const BudgetAmount> shared) {
  std::vector<BudgetAmount> amounts;
  const auto add = [&](BudgetAmount amount) {
    const std::optional<int64_t> own = OwnUse(state, amount.kind);
    if (amount.scope.empty()) {
      if (!own) return;
      amount.used = *own;
    }
    const auto granted = state.budget.granted_at.find(BudgetKey(amount));
    if (granted != state.budget.granted_at.end()) {
      amount.used = own.value_or(0) - granted->second;
    }
    amounts.push_back(std::move(amount));
  };
  const notes::Budget& limits = state.budget.limits;
  for (const auto& [kind, limit] :
       {std::pair{BudgetKind::kCost, limits.cost_microusd},
        std::pair{BudgetKind::kTokens, limits.tokens},
        std::pair{BudgetKind::kTurns, limits.turns},
        std::pair{BudgetKind::kTime, limits.time_ms}}) {
    if (limit) add({.kind = kind, .limit = *limit});
  }
  for (const BudgetAmount& amount : shared) add(amount);
  return amounts;
}

bool IsNearlyUsedUp(const BudgetAmount& amount) {
  return static_cast<double>(amount.used) >=
         0.8 * static_cast<double>(amount.limit);
}

std::optional<absl::Time> TimeBudgetAlarm(const TaskState& state) {
  const auto& limit = state.budget.limits.time_ms;
  if (!limit || !state.awake.working_since) return std::nullopt;
  const BudgetAmount amount = {.kind = BudgetKind::kTime, .limit = *limit};
  const std::string key = BudgetKey(amount);
  const bool warned = state.budget.warned.contains(key);
  const auto granted = state.budget.granted_at.find(key);
  const absl::Duration base = absl::Milliseconds(
      granted == state.budget.granted_at.end() ? 0 : granted->second);
  return *state.awake.working_since + base - state.worked +
         absl::Milliseconds(*limit) * (warned ? 1.0 : 0.8);
}

std::string UsedText(const BudgetAmount& amount) {
  return absl::StrCat(
      amount.scope.empty()
          ? "the task has used "
          : absl::StrCat("all tasks of ", amount.scope, " have used "),
      Quantity(amount.kind, amount.used), " of ",
      Quantity(amount.kind, amount.limit), Unit(amount.kind));
}

Approval BudgetApproval(const notes::BudgetAsked& asked) {
  std::vector<std::string> used;
  std::vector<std::string> more;
  for (const BudgetAmount& amount : asked.reached) {
    used.push_back(UsedText(amount));
    more.push_back(
        absl::StrCat(Quantity(amount.kind, amount.limit), Unit(amount.kind)));
  }
  return {.id = BudgetApprovalId(asked.number),
          .tool_name = "Budget",
          .reason = absl::StrCat(
              absl::StrJoin(used, ", and "),
              ". Approve to let the task go on and use as much again (",
              absl::StrJoin(more, ", "), "); deny to leave it stopped."),
          .kind = Approval::Kind::kBudget,
          .choices = {std::string(kApprove), std::string(kDeny)}};
}

void GrantBudget(TaskState* state) {
  BudgetState& budget = state->budget;
  if (budget.granted_at.size() > kMaxKeys) budget.granted_at.clear();
  if (budget.warned.size() > kMaxKeys) budget.warned.clear();
  for (const BudgetAmount& amount : std::exchange(budget.reached, {})) {
    const std::string key = BudgetKey(amount);
    budget.granted_at[key] = OwnUse(*state, amount.kind).value_or(0);
    budget.warned.erase(key);
  }
}

}  // namespace troika
