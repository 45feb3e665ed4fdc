// Describes which flags a CLI's version has and which ones an edit mode needs.
#ifndef TROIKA_AGENT_LAUNCH_FLAGS_H_
#define TROIKA_AGENT_LAUNCH_FLAGS_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "agent/launch/abilities.h"
#include "agent/launch/launch.h"
#include "agent/launch/version.h"

namespace troika {

// A flag, a subcommand or a configuration key, and the versions that have it.
// If it appeared between two versions that we tried, `first` is the later one.
struct FlagRow {
  enum class Help { kListed, kUnlisted };

  absl::string_view flag;
  Version first = {};
  Version last = kUnknownVersion;
  Help help = Help::kListed;  // Whether --help lists it.
};

struct FlagTable {
  absl::Span<const FlagRow> rows;
  Version newest;  // The newest version that we checked.

  // Whether this CLI has `flag`, which must be in the table. For a version
  // after `newest`, its help decides if we have it and the row is kListed.
  bool Has(const Cli& cli, absl::string_view flag) const;
};

// Arguments of an edit mode from this version on, up to the mode's next row.
struct EditModeRow {
  EditMode mode;
  Version first;
  absl::string_view args;  // Separated by spaces.
  // Abilities that these arguments give an agent, unless the CLI's own
  // settings say otherwise. An agent may start another one only within this.
  Abilities abilities;
  absl::string_view notice = "";  // Restrictions that it does not enforce.
};

// A value of a native permission option (approval_policy, sandbox). A value
// without a row counts as allowing everything.
struct NativeModeRow {
  absl::string_view option;
  absl::string_view value;
  // Unset if the edit mode still decides.
  std::optional<Abilities> abilities;
};

// The rows of each mode are sorted; the first is for the oldest version that
// has the mode. Returns null if this version is older, or there is no row.
const EditModeRow* /*nullable*/ FindEditMode(absl::Span<const EditModeRow> rows,
                                             EditMode mode,
                                             const Version& version);

// Operations that only newer versions support, for CantDo().
inline constexpr absl::string_view kGoOnWithSession = "go on with a session";
inline constexpr absl::string_view kForkSession = "fork a session";
inline constexpr absl::string_view kForkAtTurn =
    "fork a session at an earlier turn";
inline constexpr absl::string_view kTakeImages = "take images";

// Returns "Codex CLI 0.34.0", or only the name if the version is unknown.
std::string NameAndVersion(absl::string_view name, const Cli& cli);
// Returns "Codex CLI 0.34.0 can't go on with a session; update with npm …".
std::string CantDo(absl::string_view name, const Cli& cli,
                   absl::string_view what, absl::string_view install);

}  // namespace troika

#endif  // TROIKA_AGENT_LAUNCH_FLAGS_H_
