// Versions of CLIs, as far as flags depend on them.
//
//   ParseVersion("codex-cli 0.166.0") < Version{0, 170, 0}   // true
#ifndef TROIKA_AGENT_LAUNCH_VERSION_H_
#define TROIKA_AGENT_LAUNCH_VERSION_H_

#include <compare>
#include <limits>
#include <string>

#include "absl/strings/string_view.h"

namespace troika {

struct Version {
  int major = 0;
  int minor = 0;
  int patch = 0;

  auto operator<=>(const Version&) const = default;
};

// After all others. A version that can't be read counts as this one: what we
// don't know is most likely newer than what we do.
inline constexpr Version kUnknownVersion = {std::numeric_limits<int>::max()};

// The first thing in `text` that looks like a version, with what follows its
// numbers ("0.166.0-alpha.1"); empty where there is none.
absl::string_view FindVersion(absl::string_view text);

// The numbers of FindVersion(text). A pre-release counts as the release that it
// leads to, as flags mostly come with the first of them.
Version ParseVersion(absl::string_view text);

std::string VersionText(const Version& version);

}  // namespace troika

#endif  // TROIKA_AGENT_LAUNCH_VERSION_H_
