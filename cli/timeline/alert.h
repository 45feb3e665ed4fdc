// Calls the user to the terminal.
#ifndef TROIKA_CLI_TIMELINE_ALERT_H_
#define TROIKA_CLI_TIMELINE_ALERT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace troika::cli {

// Returns what rings a terminal's bell and asks it for a notification with this
// text (OSC 9 and 777), which terminals that have none ignore. Any text will
// do. It moves no cursor.
std::string AlertBytes(absl::string_view text);

}  // namespace troika::cli

#endif  // TROIKA_CLI_TIMELINE_ALERT_H_
