// The moment in which rules may still answer what an agent asks.
#ifndef TROIKA_CLI_TIMELINE_RULES_PAUSE_H_
#define TROIKA_CLI_TIMELINE_RULES_PAUSE_H_

#include <map>
#include <string>

#include "absl/time/time.h"
#include "task/state.h"

namespace troika::cli {

// Rules are asked before people are, which takes milliseconds. Until they have
// left an approval to a person, or this moment is over, nobody is called.
class RulesPause {
 public:
  static constexpr absl::Duration kLength = absl::Milliseconds(200);

  // Whether something waits for a person at `awake`, which is a time of
  // Clock::Awake().
  bool PersonIsAsked(const TaskState& state, absl::Time awake);
  // When to call it again even if nothing comes.
  absl::Time wake_at() const { return wake_at_; }

 private:
  std::map<std::string, absl::Time> seen_;  // Approvals, and since when.
  absl::Time wake_at_ = absl::InfiniteFuture();
};

}  // namespace troika::cli

#endif  // TROIKA_CLI_TIMELINE_RULES_PAUSE_H_
