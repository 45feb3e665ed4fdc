// Measures a relay against simpler replacements in the same run. The contenders
// take turns; figures are medians over the rounds.
//
//   relay_bench [--json] [--mb N] [--load-mb N] [--rounds N] [--only PART]
//               PYTHON_SCRIPT
#include <cstdio>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "bench/relay_measures.h"
#include "bench/report.h"

namespace troika::bench {
namespace {

absl::StatusOr<RelayOptions> ParseOptions(
    const std::vector<std::string>& args) {
  RelayOptions options;
  for (size_t i = 0; i < args.size(); ++i) {
    const bool has_value = i + 1 < args.size();
    if (args[i] == "--json") {
      options.format = Format::kJson;
    } else if (args[i] == "--mb" && has_value &&
               absl::SimpleAtoi(args[i + 1], &options.megabytes)) {
      ++i;
    } else if (args[i] == "--rounds" && has_value &&
               absl::SimpleAtoi(args[i + 1], &options.rounds)) {
      ++i;
    } else if (args[i] == "--load-mb" && has_value &&
               absl::SimpleAtoi(args[i + 1], &options.load_megabytes)) {
      ++i;
    } else if (args[i] == "--only" && has_value) {
      options.only = args[++i];
    } else if (options.python_script.empty() && args[i][0] != '-') {
      options.python_script = args[i];
    } else {
      return absl::InvalidArgumentError(absl::StrCat("argument ", args[i]));
    }
  }
  if (options.megabytes < 1 || options.rounds < 1) {
    return absl::InvalidArgumentError("--mb and --rounds are at least 1");
  }
  return options;
}

absl::Status Main(const std::vector<std::string>& args) {
  if (args.size() == 2 && args[0] == "--load") return LoadOnce(args[1]);
  ASSIGN_OR_RETURN(const RelayOptions options, ParseOptions(args));
  const struct {
    absl::string_view name;
    absl::Status (*report)(const RelayOptions&);
  } parts[] = {{"throughput", ReportThroughput},
               {"latency", ReportLatency},
               {"memory", ReportMemory},
               {"start", ReportStart},
               {"many", ReportMany},
               {"load", ReportLoad}};
  bool known = false;
  for (const auto& part : parts) {
    if (!options.only.empty() && options.only != part.name) continue;
    known = true;
    RETURN_IF_ERROR(part.report(options));
  }
  return known ? absl::OkStatus()
               : absl::InvalidArgumentError(absl::StrCat(
                     "--only takes throughput, latency, memory, start, many or "
                     "load, and not ",
                     options.only));
}

}  // namespace
}  // namespace troika::bench

int main(int argc, char** argv) {
  const absl::Status status =
      troika::bench::Main(std::vector<std::string>(argv + 1, argv + argc));
  if (status.ok()) return 0;
  std::fprintf(stderr, "relay_bench: %s\n", status.ToString().c_str());
  return 1;
}
