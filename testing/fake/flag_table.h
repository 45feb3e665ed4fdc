// Lists the flags that each version of a CLI takes, and in which command.
#ifndef TROIKA_TESTING_FAKE_FLAG_TABLE_H_
#define TROIKA_TESTING_FAKE_FLAG_TABLE_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "agent/harness.h"
#include "testing/fake/version.h"

namespace troika::fake {

enum class Takes {
  kNothing,
  kValue,     // One value, given once.
  kEach,      // One value, any number of times.
  kMany,      // All arguments up to the next flag.
  kOptional,  // The next argument, unless it is a flag.
};

// Position in the command line. Only Codex has commands that we play.
enum class Subcommand { kRoot, kMain, kResume, kAppServer };

struct Flag {
  absl::string_view name;
  absl::string_view short_name = "";  // Empty if there is none.
  Takes takes = Takes::kNothing;
  absl::string_view value = "";  // Name of the value in the help.
  // The first version in which we saw the flag.
  Version first = {};
  Subcommand subcommand = Subcommand::kMain;
  // The first version that is known or assumed to lack it again.
  Version until = kNever;
  absl::string_view choices = "";  // "a|b"; empty: any value.
};

// Returns the flags of all versions.
absl::Span<const Flag> FlagsOf(Harness harness);

// The first version that has `exec resume`.
inline constexpr Version kCodexResume = {0, 63, 0};
// The first version whose `app-server` we play.
inline constexpr Version kCodexAppServer = {0, 124, 0};

}  // namespace troika::fake

#endif  // TROIKA_TESTING_FAKE_FLAG_TABLE_H_
