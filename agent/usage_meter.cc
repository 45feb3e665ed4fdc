#include "agent/usage_meter.h"

#include <algorithm>
#include <utility>

namespace troika {

TokenCounts& TokenCounts::operator+=(const TokenCounts& other) {
  input += other.input;
  cached += other.cached;
  cache_write += other.cache_write;
  output += other.output;
  reasoning += other.reasoning;
  return *this;
}

TokenCounts TokenCounts::Since(const TokenCounts& earlier) const {
  const auto since = [](int64_t now, int64_t then) {
    return std::max<int64_t>(0, now - then);
  };
  return {.input = since(input, earlier.input),
          .cached = since(cached, earlier.cached),
          .cache_write = since(cache_write, earlier.cache_write),
          .output = since(output, earlier.output),
          .reasoning = since(reasoning, earlier.reasoning)};
}

std::optional<EventId> ParseEventId(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('.', 1));
  EventId id;
  const auto digits = [](absl::string_view part) {
    return !part.empty() &&
           std::all_of(part.begin(), part.end(), absl::ascii_isdigit);
  };
  if (!digits(parts.first) || !digits(parts.second) ||
      !absl::SimpleAtoi(parts.first, &id.record) ||
      !absl::SimpleAtoi(parts.second, &id.index)) {
    return std::nullopt;
  }
  return id;
}

std::string EventIdText(const EventId& id) {
  return absl::StrCat(id.record, ".", id.index);
}

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

void UsageMeter::WriteTo(Continuation* continuation) const {
  continuation->total_known = total_known_;
  continuation->total = total_;
  continuation->total_cost = total_cost_;
}

}  // namespace troika
