// The budgets of a day, which all tasks share: adds up what they spend, and
// tells them when most or all of it is used.
#ifndef TROIKA_SERVER_DAY_BUDGET_H_
#define TROIKA_SERVER_DAY_BUDGET_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "base/clock.h"
#include "store/task_store.h"
#include "task/notes.h"

namespace troika {

// Loop thread only.
class DayBudget {
 public:
  // A day is one of `zone`. `limits` has cost and tokens. `clock` is borrowed.
  DayBudget(notes::Budget limits, Clock* clock, absl::TimeZone zone)
      : limits_(std::move(limits)), clock_(*clock), zone_(zone) {}

  // Counts what a task has spent: the sums of its slots so far.
  void Add(const std::string& id, const std::vector<SpentInSlot>& spent);
  // Is called when another 80 % or 100 % of a budget are used.
  void SetOnLevel(std::function<void()> on_level) {
    on_level_ = std::move(on_level);
  }

  // The budgets of today, with what is used of them.
  std::vector<notes::BudgetAmount> Amounts();

 private:
  // Forgets what was spent before today, if another day has begun.
  void UpdateDay();
  int Level();

  const notes::Budget limits_;
  Clock& clock_;
  const absl::TimeZone zone_;
  absl::CivilDay day_ = absl::CivilDay(1970, 1, 1);
  int64_t first_slot_ = 0;  // Of the day.
  std::map<std::pair<int64_t, std::string>, SpentInSlot> spent_;
  int64_t tokens_ = 0;
  int64_t cost_microusd_ = 0;
  int level_ = 0;
  std::function<void()> on_level_;
};

}  // namespace troika

#endif  // TROIKA_SERVER_DAY_BUDGET_H_
