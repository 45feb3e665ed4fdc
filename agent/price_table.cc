#include "agent/price_table.h"

#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"

namespace troika {
namespace {

constexpr double kMillion = 1e6;

absl::Status Wrong(absl::string_view model, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("prices of \"", model, "\": ", what));
}

}  // namespace

absl::StatusOr<PriceTable> PriceTable::Parse(absl::string_view text) {
  json::Parser parser;
  const absl::StatusOr<json::Value> root = parser.Parse(text);
  if (!root.ok()) return root.status();
  if (!root->IsObject()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "prices are an object by model, not ", json::TypeName(root->type())));
  }
  PriceTable table;
  for (const auto& [model, entry] : root->members()) {
    if (!entry.IsObject()) return Wrong(model, "not an object");
    std::optional<double> input, cached, cache_write, output;
    for (const auto& [name, value] : entry.members()) {
      std::optional<double>* const price = name == "input"        ? &input
                                           : name == "cached"     ? &cached
                                           : name == "cacheWrite" ? &cache_write
                                           : name == "output"     ? &output
                                                                  : nullptr;
      if (price == nullptr) {
        return Wrong(model, absl::StrCat("unknown price \"", name,
                                         "\"; there are: input, cached, "
                                         "cacheWrite, output"));
      }
      *price = value.Double();
      if (!*price || **price < 0) {
        return Wrong(
            model,
            absl::StrCat(name, " is not a number from 0 on: ", value.ToJson()));
      }
    }
    if (!input || !output) return Wrong(model, "input and output are needed");
    const Prices prices = {.input = *input,
                           .cached = cached.value_or(*input),
                           .cache_write = cache_write.value_or(*input),
                           .output = *output};
    if (!table.by_prefix_.emplace(std::string(model), prices).second) {
      return Wrong(model, "given twice");
    }
  }
  return table;
}

std::optional<double> PriceTable::Estimate(absl::string_view model,
                                           const TokenCounts& tokens) const {
  std::optional<double> usd;
  // If two prefixes match, the longer one is later in the map.
  for (const auto& [prefix, prices] : by_prefix_) {
    if (!absl::StartsWith(model, prefix)) continue;
    usd = (tokens.input * prices.input + tokens.cached * prices.cached +
           tokens.cache_write * prices.cache_write +
           tokens.output * prices.output) /
          kMillion;
  }
  return usd;
}

CostEstimator::CostEstimator(PriceTable prices,
                             const Continuation& continuation)
    : prices_(std::move(prices)) {
  if (continuation.total_known) total_usd_ = continuation.total_cost.usd;
}

void CostEstimator::Apply(Message* message) {
  // Subagents use models of their own, and their turns are not the task's.
  if (!message->parent_tool_use_id.empty()) return;
  if (const auto* init = std::get_if<Init>(&message->payload)) {
    if (!init->model.empty()) model_ = init->model;
  } else if (auto* usage = std::get_if<Usage>(&message->payload)) {
    Fill(usage);
  } else if (auto* result = std::get_if<Result>(&message->payload)) {
    Fill(&result->usage);
    if (total_usd_) *total_usd_ += turn_usd_;
    turn_usd_ = 0;
  }
}

void CostEstimator::Fill(Usage* usage) {
  Cost& turn = usage->turn_cost;
  if (turn.source == CostSource::kNone && usage->turn) {
    if (const auto usd = prices_.Estimate(model_, *usage->turn)) {
      turn = {.usd = *usd, .source = CostSource::kEstimated};
    } else {
      total_usd_.reset();
    }
  }
  if (turn.source == CostSource::kNone) return;
  turn_usd_ = turn.usd;
  if (usage->total_cost.source == CostSource::kNone && total_usd_) {
    usage->total_cost = {.usd = *total_usd_ + turn_usd_,
                         .source = CostSource::kEstimated};
  }
}

}  // namespace troika
