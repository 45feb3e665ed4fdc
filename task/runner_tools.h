// The tools of a runner: clock, programs, limits.
#ifndef TROIKA_TASK_RUNNER_TOOLS_H_
#define TROIKA_TASK_RUNNER_TOOLS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "policy/decide.h"
#include "relay/spare.h"
#include "task/later.h"
#include "task/notes.h"
#include "task/policy_judge.h"

namespace troika {

// Borrowed things outlive the runner.
struct RunnerTools {
  Clock* clock = nullptr;
  std::string relay_program;
  // Returns a relay that waits for a task, if there is one. Unset: relays are
  // started when they are needed.
  absl::AnyInvocable<std::optional<relay::SpareRelay>()> take_spare;
  std::string version_cache;  // Home::version_cache().
  // Runs what blocks: taking the log's lock, its sync, and the start of a
  // relay. When that is done, the owner calls Advance() again. Unset: all runs
  // on the caller's thread.
  BlockingExecutor executor;
  // Asks the rules about an approval, on a thread of the executor. Unset: all
  // approvals are left to people.
  std::function<policy::Verdict(const PolicyCase&)> judge;
  absl::Duration grace = absl::Seconds(5);  // Between the signals of an end.
  int64_t max_log_bytes = int64_t{4} << 30;
  int64_t max_read = int64_t{1} << 20;  // Bytes of log in one Advance().
  // Returns the budgets that the task shares with others, with what all of them
  // have used. Unset: there are none.
  absl::AnyInvocable<std::vector<notes::BudgetAmount>() const> shared_budgets;
  // Called when the log of a task whose process lives has been read, before the
  // runner does anything about it: messages can be passed on sooner.
  absl::AnyInvocable<void()> on_read;
  // For tests that stop a runner at any point: called before each thing that it
  // writes, and after each record that it reads.
  absl::AnyInvocable<void()> on_step;

  void Step() {
    if (on_step) on_step();
  }
};

}  // namespace troika

#endif  // TROIKA_TASK_RUNNER_TOOLS_H_
