#include "agent/usage_meter.h"

#include <algorithm>
#include <utility>

namespace troika {

int64_t TokenCount(std::optional<int64_t> wire) {
  constexpr int64_t kMost = 1'000'000'000'000;
  return std::clamp<int64_t>(wire.value_or(0), 0, kMost);
}

UsageMeter::UsageMeter(const Continuation& continuation)
    : total_known_(continuation.total_known),
      total_(continuation.total),
      total_cost_(continuation.total_cost) {}

Usage UsageMeter::AddTurn(const TokenCounts& turn) {
  total_ += turn;
  Usage usage = Unreported();
  usage.turn = turn;
  turn_cost_ = {};
  return usage;
}

Usage UsageMeter::AdvanceTo(const TokenCounts& total) {
  Usage usage = Peek(total);
  total_ = total;
  total_known_ = true;
  turn_cost_ = {};
  return usage;
}

void UsageMeter::AddReportedCost(double turn_usd) {
  turn_cost_ = {.usd = turn_usd, .source = CostSource::kReported};
  total_cost_.usd += turn_usd;
  total_cost_.source = CostSource::kReported;
}

Usage UsageMeter::Unreported() const {
  return {.turn = std::nullopt,
          .total = total_,
          .turn_cost = turn_cost_,
          .total_cost = total_cost_};
}

void UsageMeter::StartOver() {
  total_known_ = true;
  total_ = {};
}

Usage UsageMeter::Peek(const TokenCounts& total) const {
  Usage usage = Unreported();
  if (total_known_) usage.turn = total.Since(total_);
  usage.total = total;
  return usage;
}

Usage UsageMeter::PeekTurn(const TokenCounts& turn) const {
  Usage usage = Unreported();
  usage.turn = turn;
  usage.total += turn;
  return usage;
}

void UsageMeter::WriteTo(Continuation* continuation) const {
  continuation->total_known = total_known_;
  continuation->total = total_;
  continuation->total_cost = total_cost_;
}

}  // namespace troika
