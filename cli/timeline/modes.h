// What edit modes let an agent do, in words.
#ifndef TROIKA_CLI_TIMELINE_MODES_H_
#define TROIKA_CLI_TIMELINE_MODES_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "agent/launch/launch.h"
#include "agent/message.h"

namespace troika::cli {

// "research (read only)"; other texts as they are.
std::string ModeText(absl::string_view permissions);

// Returns how to have allowed what the mode denied, or empty if a person denied
// it all or there is no such way: "--edit-mode auto_edit would have allowed it:
// troika resume t1 --edit-mode auto_edit".
std::string AllowingFlag(const Result& result, std::optional<EditMode> mode,
                         absl::string_view task);

}  // namespace troika::cli

#endif  // TROIKA_CLI_TIMELINE_MODES_H_
