#include "task/budget_flags.h"

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"

namespace troika {
namespace {

constexpr double kMaxUsd = 1e9;
constexpr double kMaxTokens = 1e15;

absl::Status Bad(absl::string_view flag, absl::string_view text,
                 absl::string_view wanted) {
  return absl::InvalidArgumentError(
      absl::StrCat(flag, " ", text, " is not ", wanted));
}

}  // namespace

absl::StatusOr<int64_t> ReadMicrousd(absl::string_view flag,
                                     absl::string_view text) {
  absl::string_view number = text;
  absl::ConsumePrefix(&number, "$");
  double usd = 0;
  // A NaN is neither above nor below.
  if (!absl::SimpleAtod(number, &usd) || !(usd >= 1e-6 && usd <= kMaxUsd)) {
    return Bad(flag, text, "an amount of dollars above 0, as 2.50");
  }
  return static_cast<int64_t>(usd * 1e6 + 0.5);
}

absl::StatusOr<int64_t> ReadTokens(absl::string_view flag,
                                   absl::string_view text) {
  absl::string_view number = text;
  double unit = 1;
  if (absl::ConsumeSuffix(&number, "k")) unit = 1e3;
  if (absl::ConsumeSuffix(&number, "M")) unit = 1e6;
  double tokens = 0;
  if (!absl::SimpleAtod(number, &tokens) ||
      !(tokens * unit >= 1 && tokens * unit <= kMaxTokens)) {
    return Bad(flag, text, "a number of tokens above 0, as 200000, 200k or 2M");
  }
  return static_cast<int64_t>(tokens * unit);
}

void BudgetFlags::AddTo(Flags* flags) {
  flags->Add("max-cost", &cost_);
  flags->Add("max-tokens", &tokens_);
  flags->Add("max-turns", &turns_);
  flags->Add("max-time", &time_);
}

absl::StatusOr<notes::Budget> BudgetFlags::Read() const {
  notes::Budget budget;
  if (!cost_.empty()) {
    ASSIGN_OR_RETURN(budget.cost_microusd, ReadMicrousd("--max-cost", cost_));
  }
  if (!tokens_.empty()) {
    ASSIGN_OR_RETURN(budget.tokens, ReadTokens("--max-tokens", tokens_));
  }
  if (turns_ == 0) return Bad("--max-turns", "0", "a number above zero");
  if (turns_) budget.turns = *turns_;
  if (time_) budget.time_ms = absl::ToInt64Milliseconds(*time_);
  return budget;
}

}  // namespace troika
