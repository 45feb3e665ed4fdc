#include "bench/report.h"

#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace troika::bench {
namespace {

std::string Json(absl::string_view bench, const Figure& f) {
  const bool compared = !f.baseline.empty();
  return absl::StrFormat(
      R"({"bench":"%s","metric":"%s","value":%.6g,"unit":"%s",)"
      R"("baseline":%s,"ratio":%s})",
      bench, f.metric, f.value, f.unit,
      compared ? absl::StrCat("\"", f.baseline, "\"") : "null",
      compared ? absl::StrFormat("%.3f", f.ratio) : "null");
}

std::string Row(const Figure& f) {
  std::string row =
      absl::StrFormat("  %-28s %10.0f %-9s", f.metric, f.value, f.unit);
  if (!f.baseline.empty()) {
    absl::StrAppendFormat(&row, " %5.2f of %s", f.ratio, f.baseline);
  }
  if (f.target) {
    absl::StrAppendFormat(&row, " (to reach %.2f: %s)", *f.target,
                          f.ratio >= *f.target ? "yes" : "NO");
  }
  if (f.at_most) {
    absl::StrAppendFormat(&row, " (at most %.0f: %s)", *f.at_most,
                          f.value <= *f.at_most ? "yes" : "NO");
  }
  if (f.at_least) {
    absl::StrAppendFormat(&row, " (at least %.0f: %s)", *f.at_least,
                          f.value >= *f.at_least ? "yes" : "NO");
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
