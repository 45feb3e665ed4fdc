#include "server/day_budget.h"

#include <algorithm>
#include <limits>

#include "task/budget.h"

namespace troika {
namespace {

constexpr absl::Duration kSlot = absl::Minutes(15);

int64_t Sum(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum)
             ? std::numeric_limits<int64_t>::max()
             : sum;
}

}  // namespace

void DayBudget::UpdateDay() {
  const absl::CivilDay today = absl::ToCivilDay(clock_.Now(), zone_);
  if (today == day_) return;
  day_ = today;
  first_slot_ = (absl::FromCivil(today, zone_) - absl::UnixEpoch()) / kSlot;
  tokens_ = 0;
  cost_microusd_ = 0;
  level_ = 0;
  spent_.erase(spent_.begin(), spent_.lower_bound({first_slot_, ""}));
  for (const auto& [key, spent] : spent_) {
    tokens_ = Sum(tokens_, spent.tokens);
    cost_microusd_ = Sum(cost_microusd_, spent.cost_microusd);
  }
}

void DayBudget::Add(const std::string& id,
                    const std::vector<SpentInSlot>& spent) {
  if (limits_ == notes::Budget()) return;
  UpdateDay();
  for (const SpentInSlot& one : spent) {
    if (one.slot < first_slot_) continue;
    SpentInSlot& known = spent_[{one.slot, id}];
    // A log that is read again has less at first.
    tokens_ = Sum(tokens_, std::max<int64_t>(0, one.tokens - known.tokens));
    cost_microusd_ =
        Sum(cost_microusd_,
            std::max<int64_t>(0, one.cost_microusd - known.cost_microusd));
    known = {.slot = one.slot,
             .tokens = std::max(known.tokens, one.tokens),
             .cost_microusd = std::max(known.cost_microusd, one.cost_microusd)};
  }
  const int level = Level();
  if (level <= level_) return;
  level_ = level;
  if (on_level_) on_level_();
}

int DayBudget::Level() {
  int level = 0;
  for (const notes::BudgetAmount& amount : Amounts()) {
    level += IsUsedUp(amount) ? 2 : IsNearlyUsedUp(amount) ? 1 : 0;
  }
  return level;
}

std::vector<notes::BudgetAmount> DayBudget::Amounts() {
  std::vector<notes::BudgetAmount> amounts;
  if (limits_ == notes::Budget()) return amounts;
  UpdateDay();
  const std::string scope = absl::FormatCivilTime(day_);
  if (limits_.cost_microusd) {
    amounts.push_back({.scope = scope,
                       .kind = notes::BudgetKind::kCost,
                       .used = cost_microusd_,
                       .limit = *limits_.cost_microusd});
  }
  if (limits_.tokens) {
    amounts.push_back({.scope = scope,
                       .kind = notes::BudgetKind::kTokens,
                       .used = tokens_,
                       .limit = *limits_.tokens});
  }
  return amounts;
}

}  // namespace troika
