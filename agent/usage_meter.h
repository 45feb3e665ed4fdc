// Adds up what the turns of a conversation used.
#ifndef TROIKA_AGENT_USAGE_METER_H_
#define TROIKA_AGENT_USAGE_METER_H_

#include <cstdint>
#include <optional>

#include "agent/message.h"
#include "agent/protocol.h"

namespace troika {

// A count as a wire tells it, kept in a range whose sums can't overflow: 0
// where it is missing or negative.
int64_t TokenCount(std::optional<int64_t> wire);

class UsageMeter {
 public:
  explicit UsageMeter(const Continuation& continuation);

  // For wires that report a turn's own tokens.
  Usage AddTurn(const TokenCounts& turn);
  // For wires that report the conversation's total so far. The turn's part is
  // unknown where the total before it is.
  Usage AdvanceTo(const TokenCounts& total);
  // Costs come before the tokens of the same turn.
  void AddReportedCost(double turn_usd);
  // A turn that ended with nothing reported.
  Usage Unreported() const;

  // Another process of the same conversation, or another conversation.
  void StartOver();
  // A total in the middle of a turn; the turn's part is what came since its
  // start.
  Usage Peek(const TokenCounts& total) const;

  void WriteTo(Continuation* continuation) const;

 private:
  bool total_known_;
  TokenCounts total_;
  Cost total_cost_;
  Cost turn_cost_;
};

}  // namespace troika

#endif  // TROIKA_AGENT_USAGE_METER_H_
