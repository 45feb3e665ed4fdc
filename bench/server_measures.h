// Declares the parts of `./dev bench server`; each prints its figures.
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
  std::string only;  // Name of a part; empty: all.
};

inline void PrintServer(const ServerOptions& options, Figure figure) {
  Print("server", figure, options.format);
}

// Cost of an idle server.
absl::Status ReportIdle(const ServerOptions& options);
// Pages of 10 000 tasks, over both kinds of socket.
absl::Status ReportList(const ServerOptions& options);
// Creation of tasks, which are then queued.
absl::Status ReportCreate(const ServerOptions& options);
// Latency of a message from agent to viewer, against a chain of three pipes.
absl::Status ReportLatency(const ServerOptions& options);
// An agent at full speed, with fast, slow and stalled viewers.
absl::Status ReportFlood(const ServerOptions& options);
// One task with 100 viewers.
absl::Status ReportFanOut(const ServerOptions& options);
// 50 viewers that read nothing of 40 MB.
absl::Status ReportStalled(const ServerOptions& options);
// Memory of 100 tasks with one viewer each; 1000 tasks at once.
absl::Status ReportMany(const ServerOptions& options);
// Time from request to agent, idle and busy, against a bare start of the agent.
absl::Status ReportStart(const ServerOptions& options);
// Restart of a server that was killed with 10 000 ended and 200 live tasks.
absl::Status ReportRestart(const ServerOptions& options);
// 200 status calls of an MCP client a second while 10 sessions stream.
absl::Status ReportMcp(const ServerOptions& options);

}  // namespace troika::bench

#endif  // TROIKA_BENCH_SERVER_MEASURES_H_
