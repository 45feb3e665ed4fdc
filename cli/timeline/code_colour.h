// Colours program text by the little that most languages have in common.
#ifndef TROIKA_CLI_TIMELINE_CODE_COLOUR_H_
#define TROIKA_CLI_TIMELINE_CODE_COLOUR_H_

#include "absl/strings/string_view.h"
#include "cli/timeline/styled_text.h"

namespace troika::cli {

// Appends a line of sanitized code, without its newline. `language` is that of
// a Markdown fence: the lines of a diff get the colours of their marks; in
// others strings are green, comments dim and some keywords cyan.
void AppendCode(absl::string_view line, absl::string_view language,
                StyledText* out);

}  // namespace troika::cli

#endif  // TROIKA_CLI_TIMELINE_CODE_COLOUR_H_
