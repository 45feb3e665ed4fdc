// Prints figures, as a table for people or as lines of JSON.
#ifndef TROIKA_BENCH_REPORT_H_
#define TROIKA_BENCH_REPORT_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace troika::bench {

struct Figure {
  std::string metric;  // "codex.messages"
  double value = 0;
  std::string unit;
  // Why there is no value, such as "not reached within 60 s"; else empty.
  std::string missing;
  // Name of the baseline of `ratio`; empty if there is none.
  std::string baseline;
  double ratio = 0;
  // Ratio to reach.
  std::optional<double> target;
  // Largest acceptable ratio.
  std::optional<double> ratio_at_most;
  // Largest acceptable value.
  std::optional<double> at_most;
  // Smallest acceptable value.
  std::optional<double> at_least;
};

enum class Format { kTable, kJson };

// Prints to stdout at once.
void Print(absl::string_view bench, const Figure& figure, Format format);

}  // namespace troika::bench

#endif  // TROIKA_BENCH_REPORT_H_
