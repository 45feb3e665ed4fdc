// Works out what a turn used from what a result says about it.
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

// Counts that no harness reaches are cut, so that sums stay in range.
TokenCounts CountsOf(const TokenUsage& usage, Drift* /*nullable*/ drift);

class TurnUsage {
 public:
  // An assistant line. Several lines share a message and each repeats its
  // usage: the last one counts.
  void AddMessage(absl::string_view message_id, const TokenCounts& counts);

  // The turn is over, and its result is added to `meter`.
  //
  // Tokens: the result's own `usage`, which is the turn's; 0.2 has none there,
  // and the turn's messages are added up. Cost: the result's total is the
  // process's, and by 2.1.325 the whole session's, so the turn's part is what
  // the result says was spent since the last one, or else the difference
  // between the totals.
  Usage End(const ResultLine& result, Drift* /*nullable*/ drift,
            UsageMeter& meter);

  // The turn is over and had no result.
  void Drop();

 private:
  // Messages whose lines may still come; subagents' are interleaved.
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
