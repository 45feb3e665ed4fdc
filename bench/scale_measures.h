// Declares the parts of `./dev bench scale`, which measures a server with many
// tasks, viewers and bytes. Each part prints its figures and has a time limit;
// a figure that is not reached within it is printed as such.
#ifndef TROIKA_BENCH_SCALE_MEASURES_H_
#define TROIKA_BENCH_SCALE_MEASURES_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "bench/report.h"
#include "bench/scale_probe.h"
#include "bench/server_run.h"

namespace troika::bench {

struct ScaleOptions {
  Format format = Format::kTable;
  int tasks = 100'000;
  std::string only;                  // Name of a part; empty: all.
  const EchoServer* echo = nullptr;  // Borrowed.

  // Whether this is a smoke test, whose figures mean little.
  bool quick() const { return tasks < 20'000; }
};

void PrintScale(const ScaleOptions& options, const Figure& figure);
// Prints the p99 of /healthz and of the echo: at most 5 times as long.
void PrintHealth(const ScaleOptions& options, absl::string_view part,
                 const HealthProbe::Latencies& latencies);
// Prints the longest time that the server's loop was blocked, by its metric.
void PrintHold(const ScaleOptions& options, absl::string_view part,
               const BenchServer& server);

double MillisSince(int64_t nanos);
double Megabytes(int64_t bytes);
// Returns the CPU time of a process, in milliseconds.
absl::StatusOr<double> CpuMillis(pid_t pid);

// Rebuild of a lost index, cold start, searches, retention, in one folder.
absl::Status ReportGrowth(const ScaleOptions& options);
// An agent that prints 18 MB of lines with two bytes.
absl::Status ReportFloodOfLines(const ScaleOptions& options);
// CPU time of a change with 1 and with 100 viewers of all tasks, among 1000
// live tasks.
absl::Status ReportViewers(const ScaleOptions& options);
// Bytes written for the rows of 10 busy tasks with long prompts.
absl::Status ReportRows(const ScaleOptions& options);
// Time of reading 200 and 2000 cut events in full.
absl::Status ReportCutEvents(const ScaleOptions& options);
// Clients without the token: idle ones at the limit, and slow bodies.
absl::Status ReportStrangers(const ScaleOptions& options);
// An output schema of 3.9 GB.
absl::Status ReportSchema(const ScaleOptions& options);

}  // namespace troika::bench

#endif  // TROIKA_BENCH_SCALE_MEASURES_H_
