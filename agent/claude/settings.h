// Settings of the form key=value as the JSON that Claude Code's --settings
// takes.
//
//   SettingsJson({"env.A=b", "cleanupPeriodDays=7"})
//       // {"cleanupPeriodDays":7,"env":{"A":"b"}}
#ifndef TROIKA_AGENT_CLAUDE_SETTINGS_H_
#define TROIKA_AGENT_CLAUDE_SETTINGS_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace troika::claude {

// Dots in a key lead into objects. A value is JSON, or where it is not, a
// string. InvalidArgument where a setting is no key=value, or two don't fit.
absl::StatusOr<std::string> SettingsJson(absl::Span<const std::string> config);

}  // namespace troika::claude

#endif  // TROIKA_AGENT_CLAUDE_SETTINGS_H_
