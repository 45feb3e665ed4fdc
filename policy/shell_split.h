#ifndef TROIKA_POLICY_SHELL_SPLIT_H_
#define TROIKA_POLICY_SHELL_SPLIT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace troika::policy {

// Splits the text of an example into words as Codex does: by blanks, with
// quotes, backslashes and comments. All other characters are plain. Returns
// nullopt if a quote or backslash is left open.
std::optional<std::vector<std::string>> SplitExample(absl::string_view text);

}  // namespace troika::policy

#endif  // TROIKA_POLICY_SHELL_SPLIT_H_
