#include "bench/scale_measures.h"

#include <unistd.h>

#include <fstream>
#include <iterator>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "bench/relay_run.h"

namespace troika::bench {

void PrintScale(const ScaleOptions& options, const Figure& figure) {
  Print("scale", figure, options.format);
}

void PrintHealth(const ScaleOptions& options, absl::string_view part,
                 const HealthProbe::Latencies& latencies) {
  Figure figure = {.metric = absl::StrCat(part, ".healthz.p99"),
                   .unit = "ms",
                   .ratio_at_most = 5};
  if (latencies.server_ms.empty() || latencies.echo_ms.empty()) {
    figure.missing = "no reply";
  } else {
    figure.value = Quantile(latencies.server_ms, 0.99);
    figure.baseline = "a bare echo's";
    figure.ratio = figure.value / Quantile(latencies.echo_ms, 0.99);
  }
  PrintScale(options, figure);
}

void PrintHold(const ScaleOptions& options, absl::string_view part,
               const BenchServer& server) {
  Figure figure = {.metric = absl::StrCat(part, ".longest_hold"),
                   .unit = "ms",
                   .at_most = 10};
  const auto seconds = server.MetricValue("troika_loop_longest_hold_seconds");
  if (seconds.ok()) {
    figure.value = *seconds * 1e3;
  } else {
    figure.missing = "n/a";
  }
  PrintScale(options, figure);
}

double MillisSince(int64_t nanos) {
  return static_cast<double>(NowNanos() - nanos) * 1e-6;
}

double Megabytes(int64_t bytes) { return static_cast<double>(bytes) * 1e-6; }

absl::StatusOr<double> CpuMillis(pid_t pid) {
  std::ifstream file(absl::StrCat("/proc/", pid, "/stat"));
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  // Field 2 is the name in parentheses; 14 and 15 are user and system time.
  const std::vector<std::string> fields =
      absl::StrSplit(text.substr(text.rfind(')') + 1), ' ');
  int64_t user = 0;
  int64_t system = 0;
  if (fields.size() < 14 || !absl::SimpleAtoi(fields[12], &user) ||
      !absl::SimpleAtoi(fields[13], &system)) {
    return absl::NotFoundError(absl::StrCat("CPU time of process ", pid));
  }
  return static_cast<double>(user + system) * 1000 /
         static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace troika::bench
