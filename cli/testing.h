// For tests of commands.
#ifndef TROIKA_CLI_TESTING_H_
#define TROIKA_CLI_TESTING_H_

#include <functional>
#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "cli/io.h"
#include "dto/troika.pb.h"

namespace troika::cli {

struct Outcome {
  int exit_code = 0;
  std::string out;
  std::string err;
};

// Calls `run` with `input` as a file on io.in, and returns what it wrote.
Outcome RunWithInput(absl::string_view input,
                     const std::function<int(const Io&)>& run);

// Returns task t1, which waits for the approval a1 and the question q1.
v1::Task WaitingTask();

// Expected contents of files, by their paths in the repository.
using Goldens = std::map<std::string, std::string>;

// Expects that the files have these contents.
void ExpectGoldens(const Goldens& goldens);

// Runs all tests, or with --update writes the files: `bazel run TEST --
// --update`.
int GoldenMain(int argc, char** argv, Goldens (*goldens)());

}  // namespace troika::cli

#endif  // TROIKA_CLI_TESTING_H_
