// The flags of one command.
//
//   Flags flags;
//   flags.Add("harness", &harness);  // --harness codex, --harness=codex
//   flags.Add("text", &text);        // --text
//   absl::StatusOr<std::vector<std::string>> files = flags.Parse(args);
//
// Flags may stand before, between and after other arguments; after `--` nothing
// is a flag. A lone `-` is none either. Given twice, the last one counts.
#ifndef TROIKA_CLI_FLAGS_H_
#define TROIKA_CLI_FLAGS_H_

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace troika::cli {

class Flags {
 public:
  // A flag without its dashes, and where its value goes: borrowed, and left as
  // it is where the flag is not given.
  void Add(absl::string_view name, std::string* value);
  void Add(absl::string_view name, bool* value);

  // Sets the values and returns what is no flag. InvalidArgument says which
  // argument is wrong and what may have been meant.
  absl::StatusOr<std::vector<std::string>> Parse(
      absl::Span<const std::string> args) const;

 private:
  using Target = std::variant<std::string*, bool*>;

  absl::Status Unknown(absl::string_view flag) const;

  std::map<std::string, Target> targets_;  // By name, with its dashes.
};

}  // namespace troika::cli

#endif  // TROIKA_CLI_FLAGS_H_
