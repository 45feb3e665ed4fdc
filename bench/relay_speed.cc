#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "bench/program.h"
#include "bench/relay_measures.h"
#include "bench/relay_run.h"
#include "bench/report.h"
#include "relay/testing.h"

namespace troika::bench {
namespace {

constexpr double kNanosPerMicro = 1e3;
constexpr size_t kTicks = 300;

// Returns the seconds until a client has read the agent's whole output.
absl::StatusOr<double> RelaySeconds(const Command& agent, int64_t bytes) {
  const int64_t start = NowNanos();
  BenchRelay relay;
  RETURN_IF_ERROR(relay.Start(agent));
  int64_t left = bytes;
  RETURN_IF_ERROR(relay.Follow([&](const relay::LogRecord& record) {
    left -= static_cast<int64_t>(record.payload.size()) +
            (record.end == relay::LineEnd::kNewline ? 1 : 0);
    return left > 0;
  }));
  const int64_t end = NowNanos();
  RETURN_IF_ERROR(relay.End());
  return static_cast<double>(end - start) / 1e9;
}

absl::StatusOr<double> TeeSeconds(const Command& agent) {
  const TempFolder folder;
  const int64_t start = NowNanos();
  RETURN_IF_ERROR(
      RunChild({"sh", "-c",
                absl::StrCat(agent[0], " ", agent[1], " ", agent[2], " ",
                             agent[3], " </dev/null | tee ", folder.path(),
                             "/log | cat >/dev/null")})
          .status());
  return static_cast<double>(NowNanos() - start) / 1e9;
}

// Returns the microseconds between each tick's write and our reading it.
absl::StatusOr<std::vector<double>> RelayDelays(const Command& agent) {
  std::vector<double> delays;
  BenchRelay relay;
  RETURN_IF_ERROR(relay.Start(agent));
  absl::Status bad;
  RETURN_IF_ERROR(relay.Follow([&](const relay::LogRecord& record) {
    const auto written = ToNumber(record.payload);
    if (!written.ok()) bad = written.status();
    delays.push_back(static_cast<double>(NowNanos() - written.value_or(0)) /
                     kNanosPerMicro);
    return delays.size() < kTicks && bad.ok();
  }));
  RETURN_IF_ERROR(bad);
  RETURN_IF_ERROR(relay.End());
  return delays;
}

absl::StatusOr<std::vector<double>> PipeDelays(const Command& agent) {
  ASSIGN_OR_RETURN(Child child, Child::Start(agent));
  std::vector<double> delays;
  while (delays.size() < kTicks) {
    ASSIGN_OR_RETURN(const int64_t written, child.NextNumber());
    delays.push_back(static_cast<double>(NowNanos() - written) /
                     kNanosPerMicro);
  }
  return delays;
}

absl::Status ReportThroughputOf(const RelayOptions& options, int64_t line_bytes,
                                double target) {
  const int64_t bytes = options.megabytes * 1'000'000 / line_bytes * line_bytes;
  const Command agent = {AgentProgram(), "flood", absl::StrCat(line_bytes),
                         absl::StrCat(bytes)};
  std::vector<double> ours;
  std::vector<double> tees;
  std::vector<double> ratios;
  // The first round is a warm-up.
  for (int round = 0; round <= options.rounds; ++round) {
    ASSIGN_OR_RETURN(const double tee, TeeSeconds(agent));
    ASSIGN_OR_RETURN(const double our, RelaySeconds(agent, bytes));
    if (round == 0) continue;
    ours.push_back(our);
    tees.push_back(tee);
    ratios.push_back(tee / our);
  }
  const double megabytes = static_cast<double>(bytes) / 1e6;
  const std::string name = absl::StrCat("throughput_", line_bytes);
  Print("relay",
        {.metric = name + ".tee_and_cat",
         .value = megabytes / Median(tees),
         .unit = "MB/s"},
        options.format);
  Print("relay",
        {.metric = name,
         .value = megabytes / Median(ours),
         .unit = "MB/s",
         .baseline = "tee-and-cat",
         .ratio = Median(ratios),
         .target = target},
        options.format);
  return absl::OkStatus();
}

}  // namespace

absl::Status ReportThroughput(const RelayOptions& options) {
  RETURN_IF_ERROR(ReportThroughputOf(options, 120, 0.9));
  return ReportThroughputOf(options, 600, 0.9);
}

absl::Status ReportLatency(const RelayOptions& options) {
  const Command agent = {AgentProgram(), "ticks", absl::StrCat(kTicks)};
  std::vector<std::vector<double>> ours;
  std::vector<std::vector<double>> pipes;
  for (int round = 0; round < options.rounds; ++round) {
    ASSIGN_OR_RETURN(pipes.emplace_back(), PipeDelays(agent));
    ASSIGN_OR_RETURN(ours.emplace_back(), RelayDelays(agent));
  }
  const auto report = [&](absl::string_view name, double share,
                          std::optional<double> at_most) {
    std::vector<double> added;
    std::vector<double> ratios;
    std::vector<double> bare;
    for (size_t i = 0; i < ours.size(); ++i) {
      const double pipe = Quantile(pipes[i], share);
      const double our = Quantile(ours[i], share);
      bare.push_back(pipe);
      added.push_back(our - pipe);
      ratios.push_back(our / pipe);
    }
    Print("relay",
          {.metric = absl::StrCat("latency_", name, ".pipe"),
           .value = Median(bare),
           .unit = "us"},
          options.format);
    Print("relay",
          {.metric = absl::StrCat("latency_", name, ".added"),
           .value = Median(added),
           .unit = "us",
           .baseline = "bare-pipe",
           .ratio = Median(ratios),
           .at_most = at_most},
          options.format);
  };
  report("p50", 0.5, 100);
  report("p99", 0.99, {});
  return absl::OkStatus();
}

}  // namespace troika::bench
