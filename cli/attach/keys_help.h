// The part of a command's help that describes keys.
#ifndef TROIKA_CLI_ATTACH_KEYS_HELP_H_
#define TROIKA_CLI_ATTACH_KEYS_HELP_H_

#include <string>

#include "absl/strings/string_view.h"

namespace troika::cli {

// Returns the first paragraph of `help` that is indented, or all of it if there
// is none. It ends with a newline.
std::string KeysIn(absl::string_view help);

}  // namespace troika::cli

#endif  // TROIKA_CLI_ATTACH_KEYS_HELP_H_
