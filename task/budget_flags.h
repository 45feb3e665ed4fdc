// The flags of a budget: --max-cost, --max-tokens, --max-turns and --max-time.
#ifndef TROIKA_TASK_BUDGET_FLAGS_H_
#define TROIKA_TASK_BUDGET_FLAGS_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/flags.h"
#include "task/notes.h"

namespace troika {

// Reads "2.50" or "$2.50" as millionths of a dollar. `flag` is for the error.
absl::StatusOr<int64_t> ReadMicrousd(absl::string_view flag,
                                     absl::string_view text);
// Reads "200000", "200k" or "1.5M".
absl::StatusOr<int64_t> ReadTokens(absl::string_view flag,
                                   absl::string_view text);

class BudgetFlags {
 public:
  void AddTo(Flags* flags);
  absl::StatusOr<notes::Budget> Read() const;

 private:
  std::string cost_;
  std::string tokens_;
  std::optional<int> turns_;
  std::optional<absl::Duration> time_;
};

}  // namespace troika

#endif  // TROIKA_TASK_BUDGET_FLAGS_H_
