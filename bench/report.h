// Figures, as a table for people or a line of JSON each.
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
  // Why there is no value, as "not reached within 60 s"; empty: there is one.
  std::string missing;
  // What `ratio` compares with; empty where there is nothing.
  std::string baseline;
  double ratio = 0;
  // What ratio is to be reached.
  std::optional<double> target;
  // The largest ratio that is good enough.
  std::optional<double> ratio_at_most;
  // What the value is to stay within.
  std::optional<double> at_most;
  // What the value is to reach.
  std::optional<double> at_least;
};

enum class Format { kTable, kJson };

// Prints to stdout at once.
void Print(absl::string_view bench, const Figure& figure, Format format);

}  // namespace troika::bench

#endif  // TROIKA_BENCH_REPORT_H_
