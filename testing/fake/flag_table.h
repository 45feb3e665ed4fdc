// Which flags each version of a CLI takes, and where.
#ifndef TROIKA_TESTING_FAKE_FLAG_TABLE_H_
#define TROIKA_TESTING_FAKE_FLAG_TABLE_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "agent/harness.h"
#include "testing/fake/version.h"

namespace troika::fake {

enum class Takes {
  kNothing,
  kValue,     // One, once.
  kEach,      // One, as often as one likes.
  kMany,      // All that follows up to the next flag.
  kOptional,  // One, where what follows is no flag.
};

// Where in the command line. Only Codex has commands that we play.
enum class Place { kRoot, kMain, kResume };

struct Flag {
  absl::string_view name;
  absl::string_view short_name;  // Empty: none.
  Takes takes = Takes::kNothing;
  Place place = Place::kMain;
  // The versions that have it: where it was first seen, and the first one
  // that is known or thought to lack it again.
  Version first = {};
  Version until = kNever;
  absl::string_view value;    // What help calls the value.
  absl::string_view choices;  // "a|b"; empty: any.
};

// All flags of all versions.
absl::Span<const Flag> FlagsOf(Harness harness);

// Whether `exec resume` is a command.
inline constexpr Version kCodexResume = {0, 63, 0};

}  // namespace troika::fake

#endif  // TROIKA_TESTING_FAKE_FLAG_TABLE_H_
