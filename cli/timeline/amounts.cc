#include "cli/timeline/amounts.h"

#include <cmath>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace troika::cli {
namespace {

std::string Scaled(double value, absl::string_view unit) {
  return value < 9.95 ? absl::StrFormat("%.1f%s", value, unit)
                      : absl::StrFormat("%.0f%s", value, unit);
}

}  // namespace

std::string CountText(int64_t count) {
  const auto value = static_cast<double>(count);
  if (count < 1000) return absl::StrCat(count);
  if (count < 999500) return Scaled(value / 1e3, "k");
  return Scaled(value / 1e6, "M");
}

std::string DurationText(absl::Duration duration) {
  const int64_t seconds = absl::ToInt64Seconds(duration);
  if (seconds < 10 && duration != absl::Seconds(seconds)) {
    return absl::StrFormat("%.1fs", std::fmax(0, ToDoubleSeconds(duration)));
  }
  if (seconds < 60) return absl::StrCat(seconds, "s");
  if (seconds < 3600) {
    return absl::StrFormat("%dm %02ds", seconds / 60, seconds % 60);
  }
  return absl::StrFormat("%dh %02dm", seconds / 3600, seconds / 60 % 60);
}

std::string TokensText(const TokenCounts& tokens) {
  if (tokens == TokenCounts{}) return "";
  const int64_t in = tokens.input + tokens.cache_write;
  return absl::StrCat(CountText(in), " in, ",
                      tokens.cached > 0
                          ? absl::StrCat(CountText(tokens.cached), " cached, ")
                          : "",
                      CountText(tokens.output), " out");
}

std::string CostText(const Cost& cost) {
  if (cost.source == CostSource::kNone) return "";
  const absl::string_view about =
      cost.source == CostSource::kEstimated ? "about " : "";
  return cost.usd > 0 && cost.usd < 0.1
             ? absl::StrFormat("%s$%.4f", about, cost.usd)
             : absl::StrFormat("%s$%.2f", about, cost.usd);
}

std::string LinesText(int64_t lines) {
  return absl::StrCat(lines, lines == 1 ? " line" : " lines");
}

std::string MoreLinesText(int64_t lines) {
  return absl::StrCat("… ", lines, lines == 1 ? " more line" : " more lines");
}

std::string DenialsText(const Result& result) {
  if (result.denial_count == 0) return "";
  std::vector<std::string> names;
  for (const Denial& denial : result.denials) {
    const std::string& name = denial.tool_name;
    if (!name.empty() && absl::c_find(names, name) == names.end()) {
      names.push_back(name);
    }
  }
  return absl::StrCat(result.denial_count, " denied", names.empty() ? "" : ": ",
                      absl::StrJoin(names, ", "));
}

}  // namespace troika::cli
