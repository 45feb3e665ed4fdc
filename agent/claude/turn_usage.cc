#include "agent/claude/turn_usage.h"

#include <algorithm>

namespace troika::claude {
namespace {

constexpr double kMaxUsd = 1e9;

double Usd(double cost) { return std::clamp(cost, 0.0, kMaxUsd); }

}  // namespace

TokenCounts CountsOf(const TokenUsage& usage, Drift* drift) {
  TokenCounts counts = {
      .input = TokenCount(usage.input_tokens),
      .cached = TokenCount(usage.cache_read_input_tokens),
      .cache_write = TokenCount(usage.cache_creation_input_tokens),
      .output = TokenCount(usage.output_tokens)};
  if (usage.output_tokens_details.IsObject()) {
    const auto details = Read<OutputTokens>(
        usage.output_tokens_details, {drift, "usage.output_tokens_details"});
    counts.reasoning =
        std::min(TokenCount(details.thinking_tokens), counts.output);
  }
  return counts;
}

void TurnUsage::AddMessage(absl::string_view message_id,
                           const TokenCounts& counts) {
  any_ = true;
  for (auto it = recent_.rbegin(); it != recent_.rend(); ++it) {
    if (it->message_id == message_id) {
      it->counts = counts;
      return;
    }
  }
  if (recent_.size() == kMaxRecent) {
    settled_ += recent_.front().counts;
    recent_.pop_front();
  }
  recent_.push_back({.message_id = std::string(message_id), .counts = counts});
}

TokenCounts TurnUsage::so_far() const {
  TokenCounts counts = settled_;
  for (const Recent& message : recent_) counts += message.counts;
  return counts;
}

Usage TurnUsage::End(const ResultLine& result, Drift* drift,
                     UsageMeter& meter) {
  const std::optional<double> cost = TurnCost(result);
  if (cost) meter.AddReportedCost(*cost);
  TokenCounts counts = so_far();
  const bool reported = result.usage.IsObject();
  if (reported) {
    counts = CountsOf(Read<TokenUsage>(result.usage, {drift, "result.usage"}),
                      drift);
  }
  const bool known = reported || any_ || cost.has_value();
  Drop();
  return known ? meter.AddTurn(counts) : meter.Unreported();
}

void TurnUsage::Drop() {
  any_ = false;
  settled_ = {};
  recent_.clear();
}

std::optional<double> TurnUsage::TurnCost(const ResultLine& result) {
  std::optional<double> cost;
  const std::optional<double> total =
      result.total_cost ? result.total_cost : result.cost;
  if (total) {
    // A smaller total comes from another process.
    if (Usd(*total) < last_total_cost_) last_total_cost_ = 0;
    cost = Usd(Usd(*total) - last_total_cost_);
    last_total_cost_ = Usd(*total);
  }
  if (result.model_usage_since_last_result.IsObject()) {
    double since = 0;
    for (const json::Member& model :
         result.model_usage_since_last_result.members()) {
      since += model.value.Get("costUSD").Double().value_or(0);
    }
    cost = Usd(since);
  }
  return cost;
}

}  // namespace troika::claude
