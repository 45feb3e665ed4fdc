// Runs a program and takes what it prints.
#ifndef TROIKA_BENCH_CHILD_H_
#define TROIKA_BENCH_CHILD_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace troika::bench {

// Its stdout, once it has ended. The program is looked up in PATH. An error
// where it can't be started or does not exit with 0.
absl::StatusOr<std::string> RunChild(const std::vector<std::string>& command);

// The most memory that this process has had at one time.
int64_t PeakMemoryBytes();

}  // namespace troika::bench

#endif  // TROIKA_BENCH_CHILD_H_
