// Measures the server over its sockets, with real relays and a scripted agent.
// Figures are medians over the rounds.
#include <algorithm>
#include <optional>

#include "absl/status/status.h"
#include "base/flags.h"
#include "base/status_macros.h"
#include "bench/program.h"
#include "bench/server_http.h"
#include "bench/server_measures.h"

namespace troika::bench {
namespace {

constexpr char kHelp[] = R"(usage: server_bench [FLAG...]

  --json         print a line of JSON for each figure
  --rounds N     figures are medians over N rounds (default 3)
  --only PART    measure one of idle, list, create, latency, flood, fanout,
                 stalled, many, start, restart, mcp
)";

constexpr Part<ServerOptions> kParts[] = {
    {"idle", ReportIdle},       {"list", ReportList},
    {"create", ReportCreate},   {"latency", ReportLatency},
    {"flood", ReportFlood},     {"fanout", ReportFanOut},
    {"stalled", ReportStalled}, {"many", ReportMany},
    {"start", ReportStart},     {"restart", ReportRestart},
    {"mcp", ReportMcp},
};

absl::Status Main(const Command& args) {
  ServerOptions options;
  bool json = false;
  std::optional<int> rounds;
  Flags flags;
  flags.Add("json", &json);
  flags.Add("rounds", &rounds);
  flags.Add("only", &options.only);
  RETURN_IF_ERROR(flags.ParseAll(args));
  if (json) options.format = Format::kJson;
  options.rounds = std::max(rounds.value_or(3), 1);
  WatchStop();
  PrintLoad("server", options.format);
  const absl::Status status =
      RunParts<ServerOptions>(options, kParts, CheckStop);
  PrintLoad("server", options.format);
  return status;
}

}  // namespace
}  // namespace troika::bench

int main(int argc, char** argv) {
  return troika::bench::RunMain(argc, argv, troika::bench::kHelp,
                                troika::bench::Main);
}
