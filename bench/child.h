// Runs a program and returns its output.
#ifndef TROIKA_BENCH_CHILD_H_
#define TROIKA_BENCH_CHILD_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace troika::bench {

// Returns the program's stdout after it has exited. Searches PATH. Fails if the
// program can't be started or does not exit with 0.
absl::StatusOr<std::string> RunChild(const std::vector<std::string>& command);

// Returns the peak memory of this process.
int64_t PeakMemoryBytes();

}  // namespace troika::bench

#endif  // TROIKA_BENCH_CHILD_H_
