// Measures a relay against simpler replacements in the same run. The contenders
// take turns; figures are medians over the rounds.
#include <optional>

#include "absl/status/status.h"
#include "base/flags.h"
#include "base/status_macros.h"
#include "bench/program.h"
#include "bench/relay_measures.h"

namespace troika::bench {
namespace {

constexpr char kHelp[] = R"(usage: relay_bench [FLAG...] PYTHON_SCRIPT

  --json         a line of JSON for each figure
  --mb N         megabytes of a flood (200)
  --load-mb N    megabytes of a log to load (1024)
  --rounds N     figures are medians over so many rounds (5)
  --only PART    one of throughput, latency, memory, start, many, load
)";

constexpr Part<RelayOptions> kParts[] = {
    {"throughput", ReportThroughput},
    {"latency", ReportLatency},
    {"memory", ReportMemory},
    {"start", ReportStart},
    {"many", ReportMany},
    {"load", ReportLoad},
};

absl::Status Main(const Command& args) {
  if (args.size() == 2 && args[0] == "--load") return LoadOnce(args[1]);
  if (args.size() == 2 && args[0] == "--parse") return ParseOnce(args[1]);
  RelayOptions options;
  bool json = false;
  std::optional<int> megabytes, load_megabytes, rounds;
  Flags flags;
  flags.Add("json", &json);
  flags.Add("mb", &megabytes);
  flags.Add("load-mb", &load_megabytes);
  flags.Add("rounds", &rounds);
  flags.Add("only", &options.only);
  ASSIGN_OR_RETURN(const Command scripts, flags.Parse(args));
  if (json) options.format = Format::kJson;
  options.megabytes = megabytes.value_or(200);
  options.load_megabytes = load_megabytes.value_or(1024);
  options.rounds = rounds.value_or(5);
  if (!scripts.empty()) options.python_script = scripts[0];
  if (options.megabytes < 1 || options.rounds < 1) {
    return absl::InvalidArgumentError("--mb and --rounds are at least 1");
  }
  return RunParts<RelayOptions>(options, kParts,
                                [] { return absl::OkStatus(); });
}

}  // namespace
}  // namespace troika::bench

int main(int argc, char** argv) {
  return troika::bench::RunMain(argc, argv, troika::bench::kHelp,
                                troika::bench::Main);
}
