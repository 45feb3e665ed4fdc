// Converts key=value settings to the JSON that Claude Code's --settings takes.
//
//   SettingsJson({"env.A=b", "cleanupPeriodDays=7"})
//       // {"cleanupPeriodDays":7,"env":{"A":"b"}}
#ifndef TROIKA_AGENT_CLAUDE_SETTINGS_H_
#define TROIKA_AGENT_CLAUDE_SETTINGS_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace troika::claude {

// Dots in a key denote nested objects. A value that is not valid JSON is a
// string. InvalidArgument if a setting is not key=value or two conflict.
absl::StatusOr<std::string> SettingsJson(absl::Span<const std::string> config);

// Adds the members of the object `config` to the edit mode's settings, a valid
// object, on all levels. InvalidArgument if both set the same value.
absl::StatusOr<std::string> MergeSettings(absl::string_view of_mode,
                                          absl::string_view config);

}  // namespace troika::claude

#endif  // TROIKA_AGENT_CLAUDE_SETTINGS_H_
