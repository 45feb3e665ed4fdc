// Declares the parts of `./dev bench relay`; each prints its figures.
#ifndef TROIKA_BENCH_RELAY_MEASURES_H_
#define TROIKA_BENCH_RELAY_MEASURES_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "bench/report.h"

namespace troika::bench {

struct RelayOptions {
  Format format = Format::kTable;
  int64_t megabytes = 0;       // Size of a flood.
  int64_t load_megabytes = 0;  // Size of a log to load.
  int rounds = 0;
  std::string only;  // Name of a part; empty: all.
  std::string python_script;
};

// Throughput from agent to log to client, against `agent | tee file | cat`.
absl::Status ReportThroughput(const RelayOptions& options);
// Latency of a line from agent to client, against a bare pipe.
absl::Status ReportLatency(const RelayOptions& options);
// Memory of relay and guard together, against a relay in Python if present.
absl::Status ReportMemory(const RelayOptions& options);
// Time until the agent runs, in addition to its own start.
absl::Status ReportStart(const RelayOptions& options);
// Cost of 200 relays at once.
absl::Status ReportMany(const RelayOptions& options);
// Time of loading a large log as a task, against `cat` and a parser.
absl::Status ReportLoad(const RelayOptions& options);

// Parses the lines of a harness on stdin, for ReportLoad.
absl::Status ParseOnce(const std::string& harness);
// Loads the log in `folder` and prints the seconds and bytes that it took.
absl::Status LoadOnce(const std::string& folder);

}  // namespace troika::bench

#endif  // TROIKA_BENCH_RELAY_MEASURES_H_
