// Runs a real troika-server with the agent of bench/server_agent.cc.
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

// The output of an agent: see bench/server_agent.cc.
struct AgentPlan {
  int64_t count = 0;
  int bytes = 300;  // 1: lines of one byte instead of messages.
  int rate = 0;     // Messages per second; 0: as fast as possible.
  enum class Then { kEnd, kHang };
  Then then = Then::kEnd;
};

std::string ServerAgentProgram();
// The plan as the agent reads it, in TROIKA_BENCH_PLAN.
std::string PlanText(const AgentPlan& plan);

// Makes benchmarks run FOLDER/server/troika-server and
// FOLDER/relay/troika-relay, as Bazel lays them out, instead of the programs
// that were built with them.
void UsePrograms(std::string folder);

// Returns a Figure::missing like "not reached within 60 s".
std::string NotReached(absl::Duration limit);

// Calls `done` until it returns true.
absl::Status WaitUntil(absl::string_view what,
                       absl::FunctionRef<absl::StatusOr<bool>()> done);

// A server in a state folder of its own, which is removed with it.
class BenchServer {
 public:
  static absl::StatusOr<std::unique_ptr<BenchServer>> Start(
      std::vector<std::string> flags);
  // Creates the folder without starting a server.
  static absl::StatusOr<std::unique_ptr<BenchServer>> Prepare(
      std::vector<std::string> flags);
  // Kills the server, removes the folder and waits until the agents have
  // exited, which they do without the folder.
  ~BenchServer();

  // Starts the server if it is not running, and waits until it is ready.
  // `more_flags` apply to this start only.
  absl::Status Launch(const std::vector<std::string>& more_flags = {});
  void Kill();

  pid_t pid() const { return pid_; }
  std::string home() const { return folder_.path() + "/home"; }
  const std::string& folder() const { return folder_.path(); }
  absl::StatusOr<int64_t> ResidentBytes() const;
  // Returns the resident memory without that of files, which are the program:
  // an idle server unmaps it.
  absl::StatusOr<int64_t> AnonymousBytes() const;
  // Returns the peak memory since the server's start.
  absl::StatusOr<int64_t> PeakBytes() const;
  absl::StatusOr<HttpConnection> Connect() const;
  absl::StatusOr<HttpConnection> ConnectTcp() const;
  absl::StatusOr<std::string> Token() const;

  absl::StatusOr<std::string> Get(absl::string_view path) const;
  // Returns a request that creates a task.
  std::string CreateRequest(const AgentPlan& plan) const;
  // Creates a task and returns its id.
  absl::StatusOr<std::string> Create(const AgentPlan& plan) const;
  // Returns the sum over all labels of the metrics that begin with `name`.
  absl::StatusOr<int64_t> Metric(absl::string_view name) const;
  // Returns a metric without labels; NotFound if the server lacks it.
  absl::StatusOr<double> MetricValue(absl::string_view name) const;
  absl::Status WaitForMetric(absl::string_view name, int64_t value) const;
  absl::Status WaitForState(const std::string& task,
                            absl::string_view state) const;

 private:
  explicit BenchServer(std::vector<std::string> flags)
      : flags_(std::move(flags)) {}

  TempFolder folder_;
  const std::vector<std::string> flags_;
  pid_t pid_ = 0;  // 0 if it is not running.
};

// Adds folders of ended tasks to a server's home: one task is really run, the
// others are copies of it. The server runs before and after, and needs time to
// index all of them.
absl::Status AddEnded(BenchServer& server, int count);

}  // namespace troika::bench

#endif  // TROIKA_BENCH_SERVER_RUN_H_
