// Computes a turn's usage from its result and messages.
#ifndef TROIKA_AGENT_CLAUDE_TURN_USAGE_H_
#define TROIKA_AGENT_CLAUDE_TURN_USAGE_H_

#include <deque>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "agent/claude/record.h"
#include "agent/message.h"
#include "agent/usage_meter.h"

namespace troika::claude {

// Limits the counts so that sums can't overflow.
TokenCounts CountsOf(const TokenUsage& usage, Drift* /*nullable*/ drift);

class TurnUsage {
 public:
  // Adds an assistant line's usage. Several lines may share a message, and each
  // repeats its usage: the last one counts.
  void AddMessage(absl::string_view message_id, const TokenCounts& counts);
  // What the messages of the turn have used so far.
  TokenCounts so_far() const;

  // Ends the turn and adds its usage to `meter`.
  //
  // Tokens are the result's `usage`; 0.2 has none, so the messages' tokens are
  // added up. The result's total cost is that of the process or, in 2.1.325, of
  // the whole session; so the turn's cost is what the result reports as spent
  // since the last one, or the difference of the totals.
  Usage End(const ResultLine& result, Drift* /*nullable*/ drift,
            UsageMeter& meter);

  // Ends a turn that has no result.
  void Drop();

 private:
  // Messages that may get further lines; those of subagents are interleaved.
  static constexpr size_t kMaxRecent = 16;

  struct Recent {
    std::string message_id;
    TokenCounts counts;
  };

  std::optional<double> TurnCost(const ResultLine& result);

  bool any_ = false;
  TokenCounts settled_;
  std::deque<Recent> recent_;
  double last_total_cost_ = 0;
};

}  // namespace troika::claude

#endif  // TROIKA_AGENT_CLAUDE_TURN_USAGE_H_
