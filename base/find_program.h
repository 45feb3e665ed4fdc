#ifndef TROIKA_BASE_FIND_PROGRAM_H_
#define TROIKA_BASE_FIND_PROGRAM_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace troika {

// Returns the path of the program troika-PART, where `part` is "relay" or
// "server": `named`, the value of $TROIKA_PART_BIN, unless it is empty; else
// beside this program, at Bazel's path, or in the installation's libexec.
// NotFound lists the paths that were tried.
absl::StatusOr<std::string> FindProgram(absl::string_view part,
                                        absl::string_view named);

// Returns the path of `troika` itself, for its other programs: `named`, the
// value of $TROIKA_BIN, unless it is empty; else beside this program, at
// Bazel's path, or where an installation has it. NotFound as above.
absl::StatusOr<std::string> FindTroika(absl::string_view named);

}  // namespace troika

#endif  // TROIKA_BASE_FIND_PROGRAM_H_
