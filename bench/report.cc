#include "bench/report.h"

#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace troika::bench {
namespace {

std::string Json(absl::string_view bench, const Figure& f) {
  const bool compared = !f.baseline.empty();
  return absl::StrFormat(
      R"({"bench":"%s","metric":"%s","value":%s,"unit":"%s",)"
      R"("baseline":%s,"ratio":%s%s})",
      bench, f.metric,
      f.missing.empty() ? absl::StrFormat("%.6g", f.value) : "null", f.unit,
      compared ? absl::StrCat("\"", f.baseline, "\"") : "null",
      compared ? absl::StrFormat("%.3f", f.ratio) : "null",
      f.missing.empty() ? ""
                        : absl::StrCat(",\"missing\":\"", f.missing, "\""));
}

// Prints small values with their significant digits.
std::string Number(double value) {
  const int digits = value >= 100 || value == 0 ? 0 : value < 10 ? 2 : 1;
  return absl::StrFormat("%.*f", digits, value);
}

// Appends the goal and whether it was reached.
void AppendGoal(absl::string_view words, double goal, bool reached,
                std::string* row) {
  absl::StrAppend(row, " (", words, " ", Number(goal), ": ",
                  reached ? "yes" : "NO", ")");
}

std::string Row(const Figure& f) {
  const bool known = f.missing.empty();
  std::string row = absl::StrFormat("  %-32s ", f.metric);
  if (known) {
    absl::StrAppendFormat(&row, "%10s %-9s", Number(f.value), f.unit);
  } else {
    absl::StrAppend(&row, f.missing);
  }
  if (known && !f.baseline.empty()) {
    absl::StrAppendFormat(&row, " %5.2f of %s", f.ratio, f.baseline);
  }
  if (f.target) {
    AppendGoal("to reach", *f.target, known && f.ratio >= *f.target, &row);
  }
  if (f.ratio_at_most) {
    AppendGoal("ratio at most", *f.ratio_at_most,
               known && f.ratio <= *f.ratio_at_most, &row);
  }
  if (f.at_most) {
    AppendGoal("at most", *f.at_most, known && f.value <= *f.at_most, &row);
  }
  if (f.at_least) {
    AppendGoal("at least", *f.at_least, known && f.value >= *f.at_least, &row);
  }
  return row;
}

}  // namespace

void Print(absl::string_view bench, const Figure& figure, Format format) {
  const std::string line =
      format == Format::kJson ? Json(bench, figure) : Row(figure);
  std::puts(line.c_str());
  std::fflush(stdout);
}

}  // namespace troika::bench
