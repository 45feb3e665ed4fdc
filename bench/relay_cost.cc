#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "bench/relay_measures.h"
#include "bench/relay_run.h"
#include "bench/report.h"
#include "relay/testing.h"

namespace troika::bench {
namespace {

constexpr double kNanosPerMicro = 1e3;
constexpr int kStarts = 20;  // Per round.
constexpr int kMany = 200;

// Returns the memory of relay and guard after the agent has written `bytes`.
absl::StatusOr<double> RelayMemory(const Command& agent, int64_t bytes) {
  BenchRelay relay;
  RETURN_IF_ERROR(relay.Start(agent));
  RETURN_IF_ERROR(relay.Follow([&](const relay::LogRecord& record) {
    bytes -= static_cast<int64_t>(record.payload.size()) + 1;
    return bytes > 0;
  }));
  // Waits for the first sync, whose thread uses memory too.
  absl::SleepFor(absl::Milliseconds(1200));
  const std::string& folder = relay.folder();
  ASSIGN_OR_RETURN(const int64_t memory,
                   PrivateBytes({relay::RelayProcess(folder, "troika-relay"),
                                 relay::RelayProcess(folder, "troika-guard")}));
  RETURN_IF_ERROR(relay.End());
  return static_cast<double>(memory) / 1e3;
}

absl::StatusOr<double> PythonMemory(const RelayOptions& options,
                                    const Command& agent, int64_t bytes) {
  const TempFolder folder;
  Command command = {"python3", options.python_script, folder.path()};
  command.insert(command.end(), agent.begin(), agent.end());
  ASSIGN_OR_RETURN(const Child child, Child::Start(command));
  const std::string log = folder.path() + "/log";
  std::error_code error;
  for (int tries = 0; tries < 2000; ++tries) {
    const auto size = std::filesystem::file_size(log, error);
    if (!error && static_cast<int64_t>(size) >= bytes) break;
    absl::SleepFor(absl::Milliseconds(10));
  }
  absl::SleepFor(absl::Milliseconds(500));
  ASSIGN_OR_RETURN(const int64_t memory, PrivateBytes({child.pid()}));
  return static_cast<double>(memory) / 1e3;
}

}  // namespace

absl::Status ReportMemory(const RelayOptions& options) {
  const int64_t flood = options.megabytes * 1'000'000 / 4 / 120 * 120;
  const struct {
    absl::string_view name;
    Command agent;
    int64_t bytes;
  } cases[] = {
      {"memory_idle", {AgentProgram(), "idle"}, 1},
      {"memory_flooded",
       {AgentProgram(), "flood", "120", absl::StrCat(flood)},
       flood},
  };
  for (const auto& c : cases) {
    ASSIGN_OR_RETURN(const double ours, RelayMemory(c.agent, c.bytes));
    Figure figure = {.metric = std::string(c.name),
                     .value = ours,
                     .unit = "kB",
                     .at_most = 2000};
    const auto python = PythonMemory(options, c.agent, c.bytes);
    if (python.ok()) {
      Print("relay",
            {.metric = absl::StrCat(c.name, ".python"),
             .value = *python,
             .unit = "kB"},
            options.format);
      figure.baseline = "python-relay";
      figure.ratio = ours / *python;
    }
    Print("relay", figure, options.format);
  }
  return absl::OkStatus();
}

absl::Status ReportStart(const RelayOptions& options) {
  const Command agent = {AgentProgram(), "idle"};
  std::vector<double> ours;
  std::vector<double> spawns;
  for (int i = 0; i < kStarts * options.rounds; ++i) {
    int64_t start = NowNanos();
    ASSIGN_OR_RETURN(Child child, Child::Start(agent));
    ASSIGN_OR_RETURN(int64_t begun, child.NextNumber());
    spawns.push_back(static_cast<double>(begun - start) / kNanosPerMicro);
    BenchRelay relay;
    start = NowNanos();
    RETURN_IF_ERROR(relay.Start(agent));
    ASSIGN_OR_RETURN(begun, relay.FirstNumber());
    ours.push_back(static_cast<double>(begun - start) / kNanosPerMicro);
    RETURN_IF_ERROR(relay.End());
  }
  Print("relay",
        {.metric = "start.spawn", .value = Median(spawns), .unit = "us"},
        options.format);
  Print("relay",
        {.metric = "start.added",
         .value = Median(ours) - Median(spawns),
         .unit = "us",
         .baseline = "posix-spawn",
         .ratio = Median(ours) / Median(spawns),
         .at_most = 2000},
        options.format);
  return absl::OkStatus();
}

absl::Status ReportMany(const RelayOptions& options) {
  std::vector<std::unique_ptr<BenchRelay>> relays;
  for (int i = 0; i < kMany; ++i) {
    relays.push_back(std::make_unique<BenchRelay>());
  }
  const int64_t start = NowNanos();
  for (const auto& relay : relays) {
    RETURN_IF_ERROR(relay->Start({AgentProgram(), "idle"}));
  }
  int64_t last = 0;
  for (const auto& relay : relays) {
    ASSIGN_OR_RETURN(const int64_t begun, relay->FirstNumber());
    last = std::max(last, begun);
  }
  Print("relay",
        {.metric = absl::StrCat("start_of_", kMany),
         .value = static_cast<double>(last - start) / 1e6,
         .unit = "ms",
         .at_most = 5000},
        options.format);
  for (const auto& relay : relays) RETURN_IF_ERROR(relay->End());
  return absl::OkStatus();
}

}  // namespace troika::bench
