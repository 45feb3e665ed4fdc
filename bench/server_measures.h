// What `./dev bench server` measures, each part printing its figures.
#ifndef TROIKA_BENCH_SERVER_MEASURES_H_
#define TROIKA_BENCH_SERVER_MEASURES_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "bench/report.h"

namespace troika::bench {

struct ServerOptions {
  Format format = Format::kTable;
  int rounds = 3;
  std::string only;  // Of the parts; empty: all.
};

inline void PrintServer(const ServerOptions& options, Figure figure) {
  Print("server", figure, options.format);
}

// Of a server that has nothing to do.
absl::Status ReportIdle(const ServerOptions& options);
// Pages of 10 000 tasks, by either kind of socket.
absl::Status ReportList(const ServerOptions& options);
// Tasks made, which then wait.
absl::Status ReportCreate(const ServerOptions& options);
// A message's way from the agent to a viewer, against a bare pipe.
absl::Status ReportLatency(const ServerOptions& options);
// An agent as fast as it can be, with viewers that are fast, slow and stalled.
absl::Status ReportFlood(const ServerOptions& options);
// One task, 100 viewers.
absl::Status ReportFanOut(const ServerOptions& options);
// 50 viewers that read nothing of 40 MB.
absl::Status ReportStalled(const ServerOptions& options);
// The memory of 100 tasks with a viewer each; 1000 tasks at once.
absl::Status ReportMany(const ServerOptions& options);
// From a request to its agent, idle and busy, against a bare start of it.
absl::Status ReportStart(const ServerOptions& options);
// A server killed among 10 000 ended and 200 living tasks.
absl::Status ReportRestart(const ServerOptions& options);

}  // namespace troika::bench

#endif  // TROIKA_BENCH_SERVER_MEASURES_H_
