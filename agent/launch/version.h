// Parses and compares versions of CLIs.
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

// Greater than all others. A version that can't be parsed counts as this one,
// because it is most likely newer than those we know.
inline constexpr Version kUnknownVersion = {std::numeric_limits<int>::max()};

// Returns the first text that looks like a version, including its suffix
// ("0.166.0-alpha.1"), or an empty view.
absl::string_view FindVersion(absl::string_view text);

// Returns the numbers of FindVersion(text). A pre-release counts as its
// release, because most flags appear in the first pre-release.
Version ParseVersion(absl::string_view text);

std::string VersionText(const Version& version);

}  // namespace troika

#endif  // TROIKA_AGENT_LAUNCH_VERSION_H_
