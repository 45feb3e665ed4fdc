// Runs commands on descriptors of a test.
#ifndef TROIKA_CLI_TESTING_H_
#define TROIKA_CLI_TESTING_H_

#include <functional>
#include <string>

#include "absl/strings/string_view.h"
#include "cli/io.h"

namespace troika::cli {

struct Outcome {
  int exit_code = 0;
  std::string out;
  std::string err;
};

// Calls `run` with `input` as a file on io.in, and reads back what it wrote.
Outcome RunWithInput(absl::string_view input,
                     const std::function<int(const Io&)>& run);

}  // namespace troika::cli

#endif  // TROIKA_CLI_TESTING_H_
