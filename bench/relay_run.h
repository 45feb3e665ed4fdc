// Relays and their rivals around the agent of bench/relay_agent.cc, for the
// relay's benchmark. All waits are bounded: what takes too long is an error.
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
#include "relay/log_writer.h"
#include "relay/record.h"
#include "relay/testing.h"

namespace troika::bench {

using Command = std::vector<std::string>;

// Of the monotonic clock, which all processes share.
int64_t NowNanos();

// The value below which `share` of the values are. There is at least one.
double Quantile(std::vector<double> values, double share);
inline double Median(std::vector<double> values) {
  return Quantile(std::move(values), 0.5);
}

absl::StatusOr<int64_t> ToNumber(absl::string_view text);

// The agent's program, beside this one.
std::string AgentProgram();

// A relay in a folder of its own, which goes with it: then whatever still runs
// there ends by itself within seconds.
class BenchRelay {
 public:
  BenchRelay();

  const std::string& folder() const { return folder_.path(); }

  // Returns at once.
  absl::Status Start(const Command& agent);
  // Reads the log as a client does, woken by the relay's tips, until
  // `on_stdout`, called with each record of the agent's stdout, returns false.
  absl::Status Follow(
      absl::FunctionRef<bool(const relay::LogRecord&)> on_stdout);
  // The number that the agent's first line is.
  absl::StatusOr<int64_t> FirstNumber();
  // Closes the agent's stdin and waits until all is gone.
  absl::Status End();

 private:
  TempFolder folder_;
  SystemClock clock_;
  absl::StatusOr<relay::LogWriter> log_;
  UniqueFd ready_;
};

// A program with pipes as its stdio.
class Child {
 public:
  static absl::StatusOr<Child> Start(const Command& command);
  Child(Child&&) = default;
  ~Child();  // Kills it where it has not ended.

  pid_t pid() const { return pid_; }
  // Of the next line that it prints.
  absl::StatusOr<int64_t> NextNumber();

 private:
  Child(pid_t pid, UniqueFd in, UniqueFd out);

  pid_t pid_;
  UniqueFd in_;
  UniqueFd out_;
  std::string said_;  // And not yet told.
};

// What these processes have for themselves alone.
absl::StatusOr<int64_t> PrivateBytes(const std::vector<pid_t>& pids);

}  // namespace troika::bench

#endif  // TROIKA_BENCH_RELAY_RUN_H_
