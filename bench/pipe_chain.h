// The least that the way of an event through relay and server could cost.
#ifndef TROIKA_BENCH_PIPE_CHAIN_H_
#define TROIKA_BENCH_PIPE_CHAIN_H_

#include <vector>

#include "absl/status/statusor.h"
#include "bench/server_run.h"

namespace troika::bench {

// Returns the latency, in microseconds, of each message of the plan through
// three pipes: from the agent to a process that appends it to a log and tells
// the next one, which reads it from the log, appends it to a second file and
// sends it to us. So it is woken, read and written as often as an event on its
// way through relay and server, but nothing is parsed or checked.
absl::StatusOr<std::vector<double>> PipeChainMicros(const AgentPlan& plan);

}  // namespace troika::bench

#endif  // TROIKA_BENCH_PIPE_CHAIN_H_
