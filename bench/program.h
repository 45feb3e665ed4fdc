// What the programs here share: their main function, their parts, and the
// programs that they run.
#ifndef TROIKA_BENCH_PROGRAM_H_
#define TROIKA_BENCH_PROGRAM_H_

#include <sys/types.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "bench/report.h"

namespace troika::bench {

using Command = std::vector<std::string>;

// Runs `run` with the arguments, prints its error and returns the exit code.
// --help prints `help`.
int RunMain(int argc, char** argv, absl::string_view help,
            absl::Status (*run)(const Command& args));

template <typename Options>
struct Part {
  absl::string_view name;
  absl::Status (*report)(const Options&);
};

// Runs the part that `options` name, or all. `before_each` may end it. A part
// that fails is reported, and the others run nevertheless; the first error is
// returned.
template <typename Options>
absl::Status RunParts(const Options& options,
                      absl::Span<const Part<Options>> parts,
                      absl::FunctionRef<absl::Status()> before_each) {
  std::vector<absl::string_view> names;
  absl::Status all;
  bool known = false;
  for (const Part<Options>& part : parts) {
    names.push_back(part.name);
    if (!options.only.empty() && options.only != part.name) continue;
    known = true;
    RETURN_IF_ERROR(before_each());
    if (const absl::Status status = part.report(options); !status.ok()) {
      absl::FPrintF(stderr, "%s: %s\n", part.name, status.ToString());
      all.Update(status);
    }
  }
  if (known) return all;
  return absl::InvalidArgumentError(absl::StrCat("--only ", options.only,
                                                 " is not a part: there are ",
                                                 absl::StrJoin(names, ", ")));
}

// Prints how busy the machine is, because that weighs on every figure.
void PrintLoad(absl::string_view bench, Format format);

// Starts a program, which is looked up in PATH. Its descriptor `second` is our
// `first`. Without an environment it gets ours.
absl::StatusOr<pid_t> Spawn(const Command& command,
                            absl::Span<const std::pair<int, int>> fds,
                            const std::vector<std::string>& environment = {});
// Returns the wait status.
int WaitFor(pid_t pid);

// Runs a program and returns its stdout. An error if it can't be started or
// does not exit with 0.
absl::StatusOr<std::string> RunChild(const Command& command);

// A size in /proc/PID/status, such as "VmHWM:", the most memory that the
// process has had at one time.
absl::StatusOr<int64_t> StatusBytes(pid_t pid, absl::string_view field);

// The number in `text`, which a program printed.
absl::StatusOr<int64_t> ToNumber(absl::string_view text);

// Returns the value below which `share` of the (one or more) values are.
double Quantile(std::vector<double> values, double share);
inline double Median(std::vector<double> values) {
  return Quantile(std::move(values), 0.5);
}

}  // namespace troika::bench

#endif  // TROIKA_BENCH_PROGRAM_H_
