// Measures the server over its sockets, with real relays and a scripted agent.
// Figures are medians over the rounds.
//
//   server_bench [--json] [--rounds N] [--only PART]
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "bench/server_http.h"
#include "bench/server_measures.h"

namespace troika::bench {
namespace {

absl::StatusOr<ServerOptions> ParseOptions(
    const std::vector<std::string>& args) {
  ServerOptions options;
  for (size_t i = 0; i < args.size(); ++i) {
    const bool has_value = i + 1 < args.size();
    if (args[i] == "--json") {
      options.format = Format::kJson;
    } else if (args[i] == "--rounds" && has_value &&
               absl::SimpleAtoi(args[i + 1], &options.rounds) &&
               options.rounds >= 1) {
      ++i;
    } else if (args[i] == "--only" && has_value) {
      options.only = args[++i];
    } else {
      return absl::InvalidArgumentError(absl::StrCat("argument ", args[i]));
    }
  }
  return options;
}

// Other load of the machine affects every figure.
void PrintLoad(const ServerOptions& options) {
  double load[1] = {0};
  if (getloadavg(load, 1) != 1) return;
  PrintServer(
      options,
      {.metric = "machine.load_percent", .value = load[0] * 100, .unit = "%"});
}

absl::Status Main(const std::vector<std::string>& args) {
  ASSIGN_OR_RETURN(const ServerOptions options, ParseOptions(args));
  WatchStop();
  const struct {
    absl::string_view name;
    absl::Status (*report)(const ServerOptions&);
  } parts[] = {{"idle", ReportIdle},       {"list", ReportList},
               {"create", ReportCreate},   {"latency", ReportLatency},
               {"flood", ReportFlood},     {"fanout", ReportFanOut},
               {"stalled", ReportStalled}, {"many", ReportMany},
               {"start", ReportStart},     {"restart", ReportRestart}};
  bool known = false;
  absl::Status all;
  PrintLoad(options);
  for (const auto& part : parts) {
    if (!options.only.empty() && options.only != part.name) continue;
    known = true;
    RETURN_IF_ERROR(CheckStop());
    // If one part fails, the others are still measured.
    if (const absl::Status status = part.report(options); !status.ok()) {
      std::fprintf(stderr, "server_bench: %s: %s\n",
                   std::string(part.name).c_str(), status.ToString().c_str());
      all.Update(status);
    }
  }
  PrintLoad(options);
  return known ? all
               : absl::InvalidArgumentError(absl::StrCat(
                     "--only takes idle, list, create, latency, flood, fanout, "
                     "stalled, many, start or restart, and not ",
                     options.only));
}

}  // namespace
}  // namespace troika::bench

int main(int argc, char** argv) {
  const absl::Status status =
      troika::bench::Main(std::vector<std::string>(argv + 1, argv + argc));
  if (status.ok()) return 0;
  std::fprintf(stderr, "server_bench: %s\n", status.ToString().c_str());
  return 1;
}
