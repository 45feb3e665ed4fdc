// Runs relays and their replacements with the agent of bench/relay_agent.cc.
// All waits are bounded: exceeding the limit is an error.
#ifndef TROIKA_BENCH_RELAY_RUN_H_
#define TROIKA_BENCH_RELAY_RUN_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/clock.h"
#include "base/fd.h"
#include "bench/program.h"
#include "relay/log_writer.h"
#include "relay/record.h"
#include "relay/start.h"
#include "relay/testing.h"

namespace troika::bench {

// Returns nanoseconds of the monotonic clock, which all processes share.
int64_t NowNanos();

// Returns the path of the agent's program, which is beside this one.
std::string AgentProgram();

// A relay in a folder of its own, which is removed with it: any process that
// still runs there then exits by itself within seconds.
class BenchRelay {
 public:
  BenchRelay();

  const std::string& folder() const { return folder_.path(); }

  // Starts the relay without waiting.
  absl::Status Start(const Command& agent);
  // Reads the log as a client does, woken by the relay's tips, and calls
  // `on_stdout` with each record of the agent's stdout until it returns false.
  absl::Status Follow(
      absl::FunctionRef<bool(const relay::LogRecord&)> on_stdout);
  // Returns the number that the agent's first line contains.
  absl::StatusOr<int64_t> FirstNumber();
  // Closes the agent's stdin and waits until all processes have exited.
  absl::Status End();

 private:
  TempFolder folder_;
  SystemClock clock_;
  absl::StatusOr<relay::LogWriter> log_;
  relay::StartingRelay starting_;
};

// A program whose stdio consists of pipes.
class Child {
 public:
  static absl::StatusOr<Child> Start(const Command& command);
  Child(Child&&) = default;
  ~Child();  // Kills the program if it is still running.

  pid_t pid() const { return pid_; }
  // Returns the number that the next line contains.
  absl::StatusOr<int64_t> NextNumber();

 private:
  Child(pid_t pid, UniqueFd in, UniqueFd out);

  pid_t pid_;
  UniqueFd in_;
  UniqueFd out_;
  std::string said_;  // Output that was read but not returned yet.
};

// Returns the private memory of these processes.
absl::StatusOr<int64_t> PrivateBytes(const std::vector<pid_t>& pids);

}  // namespace troika::bench

#endif  // TROIKA_BENCH_RELAY_RUN_H_
