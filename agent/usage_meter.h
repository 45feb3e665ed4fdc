// Adds up the usage of a conversation's turns.
#ifndef TROIKA_AGENT_USAGE_METER_H_
#define TROIKA_AGENT_USAGE_METER_H_

#include <cstdint>
#include <optional>

#include "agent/message.h"
#include "agent/protocol.h"

namespace troika {

// Returns a count from the wire, limited so that sums can't overflow; 0 if it
// is missing or negative.
int64_t TokenCount(std::optional<int64_t> wire);

class UsageMeter {
 public:
  explicit UsageMeter(const Continuation& continuation);

  // For wires that report a turn's own tokens.
  Usage AddTurn(const TokenCounts& turn);
  // For wires that report the conversation's total so far. The turn's share is
  // unknown if the previous total is.
  Usage AdvanceTo(const TokenCounts& total);
  // A turn's cost must be added before its tokens.
  void AddReportedCost(double turn_usd);
  // For a turn that ended without reported usage.
  Usage Unreported() const;

  // Resets the token total: another process or conversation counts from zero.
  void StartOver();
  // For a total in the middle of a turn: returns the usage since the turn
  // began, and changes nothing.
  Usage Peek(const TokenCounts& total) const;
  // The same for wires that report the turn's own tokens.
  Usage PeekTurn(const TokenCounts& turn) const;

  void WriteTo(Continuation* continuation) const;

 private:
  bool total_known_;
  TokenCounts total_;
  Cost total_cost_;
  Cost turn_cost_;
};

}  // namespace troika

#endif  // TROIKA_AGENT_USAGE_METER_H_
