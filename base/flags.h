// The flags of one command.
//
//   Flags flags;
//   flags.Add("harness", &harness);  // --harness codex, --harness=codex
//   flags.Add("text", &text);        // --text
//   flags.Add("image", &images);     // --image a.png --image b.png
//   flags.Add("search", &search);    // --search, --no-search
//   flags.Add("timeout", &timeout);  // --timeout 10m
//   flags.Add("limit", &limit);      // --limit 20
//   absl::StatusOr<std::vector<std::string>> files = flags.Parse(args);
//
// Flags may stand before, between and after other arguments; after `--` nothing
// is a flag, and neither is a lone `-`. If a flag is given twice, the last one
// counts, unless it collects its values.
#ifndef TROIKA_BASE_FLAGS_H_
#define TROIKA_BASE_FLAGS_H_

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

namespace troika {

class Flags {
 public:
  // Receives the values of a flag. Borrowed; keeps its content if the flag is
  // not given. An optional bool also gets the flag --no-NAME, which sets false;
  // a vector collects the values; durations are above zero (90s, 10m, 1h30m),
  // and numbers are 0 or more.
  using Target =
      std::variant<bool*, std::optional<bool>*, std::string*,
                   std::vector<std::string>*, std::optional<absl::Duration>*,
                   std::optional<int>*>;

  // Adds a flag, named without its dashes.
  void Add(absl::string_view name, Target target);
  // Adds another spelling of a flag that was added: 'f' is -f.
  void AddShort(char letter, absl::string_view name);

  // Sets the values and returns the other arguments. InvalidArgument says which
  // argument is wrong and suggests a correction.
  absl::StatusOr<std::vector<std::string>> Parse(
      absl::Span<const std::string> args) const;
  // Does the same, but refuses arguments that are not flags.
  absl::Status ParseAll(absl::Span<const std::string> args) const;

 private:
  struct Flag {
    Target target;
    bool value = true;  // What a flag without a value sets.
  };

  absl::Status Unknown(absl::string_view flag) const;

  std::map<std::string, Flag> flags_;  // By name, with its dashes.
};

// The candidate that looks most like `word`; empty if none does.
std::string Nearest(absl::string_view word,
                    const std::vector<std::string>& candidates);

}  // namespace troika

#endif  // TROIKA_BASE_FLAGS_H_
