// The latency of a server's /healthz under load, beside that of a bare echo
// server under the same load.
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

// A process of its own that sends back what it reads: one thread, epoll, a Unix
// socket. It ends with us.
class EchoServer {
 public:
  // Forks: call before any thread is started.
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

// Asks the server and the echo in turn, each every 10 ms, from a thread of its
// own. A reply that takes longer counts for the requests that could not be sent
// meanwhile, too, so that one long hold is seen in the quantiles.
class HealthProbe {
 public:
  struct Latencies {
    std::vector<double> server_ms;
    std::vector<double> echo_ms;
  };

  // Both are borrowed. The server need not run yet.
  HealthProbe(const BenchServer* server, const EchoServer* echo);
  ~HealthProbe();

  // What was measured since the start.
  Latencies Stop();

 private:
  void Run();

  const std::string server_path_;
  const std::string echo_path_;
  std::atomic<bool> stop_ = false;
  Latencies latencies_;  // The thread's, until it has been joined.
  std::thread thread_;
};

}  // namespace troika::bench

#endif  // TROIKA_BENCH_SCALE_PROBE_H_
