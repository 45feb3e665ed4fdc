// What `./dev bench relay` measures, each part printing its figures.
#ifndef TROIKA_BENCH_RELAY_MEASURES_H_
#define TROIKA_BENCH_RELAY_MEASURES_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "bench/report.h"

namespace troika::bench {

struct RelayOptions {
  Format format = Format::kTable;
  int64_t megabytes = 200;        // Of a flood.
  int64_t load_megabytes = 1024;  // Of a log to load.
  int rounds = 5;
  std::string only;  // Of the parts; empty: all.
  std::string python_script;
};

// From agent to log to client, against `agent | tee file | cat`.
absl::Status ReportThroughput(const RelayOptions& options);
// A line's way to a client, against a bare pipe.
absl::Status ReportLatency(const RelayOptions& options);
// Of relay and guard together, against a relay in Python where there is one.
absl::Status ReportMemory(const RelayOptions& options);
// Until the agent runs, beyond what its own start takes.
absl::Status ReportStart(const RelayOptions& options);
// Of 200 at once.
absl::Status ReportMany(const RelayOptions& options);
// Of a large log as a task, against `cat`.
absl::Status ReportLoad(const RelayOptions& options);

// Loads the log in `folder` and prints the seconds and the bytes it took.
absl::Status LoadOnce(const std::string& folder);

}  // namespace troika::bench

#endif  // TROIKA_BENCH_RELAY_MEASURES_H_
