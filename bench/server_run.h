// A real troika-server around the agent of bench/server_agent.cc, for the
// server's benchmark.
#ifndef TROIKA_BENCH_SERVER_RUN_H_
#define TROIKA_BENCH_SERVER_RUN_H_

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "bench/server_http.h"
#include "relay/testing.h"

namespace troika::bench {

// What an agent prints: bench/server_agent.cc.
struct AgentPlan {
  int64_t count = 0;
  int bytes = 300;  // 1: lines of one byte in place of messages.
  int rate = 0;     // A second; 0: as fast as it can.
  enum class Then { kEnd, kHang };
  Then then = Then::kEnd;
};

std::string ServerAgentProgram();

// Takes troika-server and troika-relay from FOLDER/server and FOLDER/relay, as
// Bazel leaves them, instead of those that were built with the benchmark.
void UsePrograms(std::string folder);

// The outcome of one that took too long: "not reached within 60 s".
std::string NotReached(absl::Duration limit);

// Calls `done` until it says so.
absl::Status WaitUntil(absl::string_view what,
                       absl::FunctionRef<absl::StatusOr<bool>()> done);

// A state folder, which goes with it, and a server in it.
class BenchServer {
 public:
  static absl::StatusOr<std::unique_ptr<BenchServer>> Start(
      std::vector<std::string> flags);
  // A folder without a server yet.
  static absl::StatusOr<std::unique_ptr<BenchServer>> Prepare(
      std::vector<std::string> flags);
  // Kills the server, removes the folder, and waits until the agents are gone:
  // those end by themselves without it.
  ~BenchServer();

  // Starts it where it does not run; returns when it is ready. `more_flags`
  // hold for this start only.
  absl::Status Launch(const std::vector<std::string>& more_flags = {});
  void Kill();

  pid_t pid() const { return pid_; }
  std::string home() const { return folder_.path() + "/home"; }
  const std::string& folder() const { return folder_.path(); }
  absl::StatusOr<int64_t> ResidentBytes() const;
  // The most memory that it has had since its start.
  absl::StatusOr<int64_t> PeakBytes() const;
  absl::StatusOr<HttpConnection> Connect() const;
  absl::StatusOr<HttpConnection> ConnectTcp() const;
  absl::StatusOr<std::string> Token() const;

  absl::StatusOr<std::string> Get(absl::string_view path) const;
  // Of a task.
  std::string CreateRequest(const AgentPlan& plan) const;
  // Returns its id.
  absl::StatusOr<std::string> Create(const AgentPlan& plan) const;
  // As /metrics says: the sum over labels that `name` begins.
  absl::StatusOr<int64_t> Metric(absl::string_view name) const;
  // One without labels. NotFound where the server does not have it.
  absl::StatusOr<double> MetricValue(absl::string_view name) const;
  absl::Status WaitForMetric(absl::string_view name, int64_t value) const;
  absl::Status WaitForState(const std::string& task,
                            absl::string_view state) const;

 private:
  explicit BenchServer(std::vector<std::string> flags)
      : flags_(std::move(flags)) {}

  absl::StatusOr<int64_t> StatusBytes(absl::string_view field) const;

  TempFolder folder_;
  const std::vector<std::string> flags_;
  pid_t pid_ = 0;  // 0: none.
};

// Makes folders of ended tasks in a server's home: one is run for real, and the
// others are copies of it. The server runs before and after, and has rows of
// all only when it has read them.
absl::Status AddEnded(BenchServer& server, int count);

}  // namespace troika::bench

#endif  // TROIKA_BENCH_SERVER_RUN_H_
