// What tokens cost, by a table that the user gives: Troika knows no prices.
//
// The table is JSON, in USD for a million tokens, by the model's name or the
// start of it; the longest that fits counts, and "" fits every model:
//
//   {
//     "gpt-5": {"input": 1.25, "cached": 0.125, "output": 10},
//     "claude-opus-4": {"input": 15, "cached": 1.5, "cacheWrite": 18.75,
//                       "output": 75}
//   }
//
// "cached" and "cacheWrite" cost as "input" where they are not given.
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
  // InvalidArgument names the model and the price that is wrong.
  static absl::StatusOr<PriceTable> Parse(absl::string_view text);

  // In USD; nothing where no entry fits the model.
  std::optional<double> Estimate(absl::string_view model,
                                 const TokenCounts& tokens) const;

 private:
  // USD for a million tokens.
  struct Prices {
    double input = 0;
    double cached = 0;
    double cache_write = 0;
    double output = 0;
  };

  std::map<std::string, Prices> by_prefix_;
};

// Fills in the costs that a conversation's messages leave open. Fed every
// message in order.
class CostEstimator {
 public:
  // `continuation` says what the conversation cost so far.
  CostEstimator(PriceTable prices, const Continuation& continuation);

  // A turn's cost is estimated where none is reported and its tokens are known;
  // the total's, where none is reported and it was known before.
  void Apply(Message* message);

 private:
  void Fill(Usage* usage);

  const PriceTable prices_;
  std::string model_;
  std::optional<double> total_usd_;  // Of the turns that ended.
  double turn_usd_ = 0;              // Of the running turn, as last estimated.
};

}  // namespace troika

#endif  // TROIKA_AGENT_PRICE_TABLE_H_
