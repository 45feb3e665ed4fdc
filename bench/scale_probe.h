// Measures the latency of a server's /healthz under load, and that of a bare
// echo server under the same load.
#ifndef TROIKA_BENCH_SCALE_PROBE_H_
#define TROIKA_BENCH_SCALE_PROBE_H_

#include <sys/types.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "bench/server_http.h"
#include "bench/server_run.h"

namespace troika::bench {

// A separate process that sends back what it reads, with one thread, epoll and
// a Unix socket. It exits with this process.
class EchoServer {
 public:
  // Forks, so it must be called before any thread starts.
  static absl::StatusOr<EchoServer> Start(const std::string& socket_path);
  EchoServer(EchoServer&& other) noexcept;
  ~EchoServer();

  const std::string& socket_path() const { return socket_path_; }

 private:
  EchoServer(pid_t pid, std::string socket_path)
      : pid_(pid), socket_path_(std::move(socket_path)) {}

  pid_t pid_;
  std::string socket_path_;
};

// Requests /healthz and the echo alternately, each every 10 ms, on a thread of
// its own. A slow reply also counts for the requests that could not be sent
// meanwhile, so that one long stall shows in the quantiles.
class HealthProbe {
 public:
  struct Latencies {
    std::vector<double> server_ms;
    std::vector<double> echo_ms;
  };

  // Borrows both arguments. The server need not run yet.
  HealthProbe(const BenchServer* server, const EchoServer* echo);
  ~HealthProbe();

  // Returns what was measured since the start.
  Latencies Stop();

 private:
  void Run();

  const std::string server_path_;
  const std::string echo_path_;
  std::atomic<bool> stop_ = false;
  Latencies latencies_;  // Owned by the thread until it is joined.
  std::thread thread_;
};

}  // namespace troika::bench

#endif  // TROIKA_BENCH_SCALE_PROBE_H_
