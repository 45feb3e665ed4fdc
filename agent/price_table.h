// Estimates costs by a price table of the user's; Troika knows no prices.
//
// The table is JSON, in USD per million tokens, keyed by a model's name or a
// prefix of it; the longest match counts, and "" matches every model:
//
//   {
//     "gpt-5": {"input": 1.25, "cached": 0.125, "output": 10},
//     "claude-opus-4": {"input": 15, "cached": 1.5, "cacheWrite": 18.75,
//                       "output": 75}
//   }
//
// "cached" and "cacheWrite" default to the price of "input".
#ifndef TROIKA_AGENT_PRICE_TABLE_H_
#define TROIKA_AGENT_PRICE_TABLE_H_

#include <map>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/message.h"
#include "agent/protocol.h"

namespace troika {

class PriceTable {
 public:
  // InvalidArgument names the model and the invalid price.
  static absl::StatusOr<PriceTable> Parse(absl::string_view text);

  // Returns the cost in USD, or nullopt if no entry matches the model.
  std::optional<double> Estimate(absl::string_view model,
                                 const TokenCounts& tokens) const;

 private:
  // USD per million tokens.
  struct Prices {
    double input = 0;
    double cached = 0;
    double cache_write = 0;
    double output = 0;
  };

  std::map<std::string, Prices> by_prefix_;
};

// Fills in the costs that a conversation's messages lack. Every message must be
// passed to it, in order.
class CostEstimator {
 public:
  // `continuation` holds the cost of the conversation so far.
  CostEstimator(PriceTable prices, const Continuation& continuation);

  // Estimates a turn's cost if the harness reports none and the tokens are
  // known, and the total if none is reported and the earlier total is known.
  void Apply(Message* message);

 private:
  void Fill(Usage* usage);

  const PriceTable prices_;
  std::string model_;
  std::optional<double> total_usd_;  // Sum of the finished turns.
  double turn_usd_ = 0;              // Latest estimate for the running turn.
};

}  // namespace troika

#endif  // TROIKA_AGENT_PRICE_TABLE_H_
