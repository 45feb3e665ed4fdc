// Parses versions of CLIs, for the tables of their differences.
#ifndef TROIKA_TESTING_FAKE_VERSION_H_
#define TROIKA_TESTING_FAKE_VERSION_H_

#include <array>
#include <optional>

#include "absl/strings/string_view.h"
#include "agent/harness.h"

namespace troika::fake {

using Version = std::array<int, 3>;

inline constexpr Version kNever = {1 << 30, 0, 0};

// Parses "0.166.0" or "0.166"; returns nullopt for other texts.
std::optional<Version> ParseVersion(absl::string_view text);

// The newest version whose behaviour we have seen.
absl::string_view NewestVersion(Harness harness);

// Returns the output of `--version`.
std::string VersionLine(Harness harness, absl::string_view version);

}  // namespace troika::fake

#endif  // TROIKA_TESTING_FAKE_VERSION_H_
