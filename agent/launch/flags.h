// Which flags a CLI's version has, and what an edit mode becomes in it.
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
// Where it came between two versions that were tried, `first` is the later one.
struct FlagRow {
  enum class Help { kListed, kUnlisted };

  absl::string_view flag;
  Version first = {};
  Version last = kUnknownVersion;
  Help help = Help::kListed;  // Whether --help tells of it.
};

struct FlagTable {
  absl::Span<const FlagRow> rows;
  Version newest;  // The newest version that the rows are known to hold for.

  // Whether this CLI has `flag`, which must be in the table. Of a version after
  // `newest` its help decides, where it is known and would tell.
  bool Has(const Cli& cli, absl::string_view flag) const;
};

// What an edit mode becomes from a version on, up to the mode's next row.
struct EditModeRow {
  EditMode mode;
  Version first;
  absl::string_view args;  // With spaces between them.
  // What these arguments let an agent do by itself, unless the CLI's own
  // settings say otherwise. One agent may start another only within this.
  Abilities abilities;
  absl::string_view notice = "";  // What it can't keep the agent from.
};

// A value of a native permission option (approval_policy, sandbox). A value
// without a row counts as if it let an agent do anything.
struct NativeModeRow {
  absl::string_view option;
  absl::string_view value;
  // Unset if the edit mode still holds.
  std::optional<Abilities> abilities;
};

// Of each mode the rows are in order, the first one for the oldest version.
const EditModeRow& FindEditMode(absl::Span<const EditModeRow> rows,
                                EditMode mode, const Version& version);

// What a version can't do, where a newer one can.
inline constexpr absl::string_view kGoOnWithSession = "go on with a session";
inline constexpr absl::string_view kTakeImages = "take images";

// "Codex CLI 0.34.0"; only the name where the version is not known.
std::string NameAndVersion(absl::string_view name, const Cli& cli);
// "Codex CLI 0.34.0 can't go on with a session; update with npm install …"
std::string CantDo(absl::string_view name, const Cli& cli,
                   absl::string_view what, absl::string_view install);

}  // namespace troika

#endif  // TROIKA_AGENT_LAUNCH_FLAGS_H_
