#include "cli/timeline/alert.h"

#include "absl/strings/str_cat.h"
#include "cli/timeline/terminal_text.h"

namespace troika::cli {

std::string AlertBytes(absl::string_view text) {
  const std::string line = SanitizedLine(text);
  return absl::StrCat("\a\x1b]9;troika: ", line, "\a\x1b]777;notify;troika;",
                      line, "\a");
}

}  // namespace troika::cli
