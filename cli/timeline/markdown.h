// Shows Markdown on a terminal.
#ifndef TROIKA_CLI_TIMELINE_MARKDOWN_H_
#define TROIKA_CLI_TIMELINE_MARKDOWN_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "cli/timeline/styled_text.h"

namespace troika::cli {

// Returns any text as rows of at most `columns`: paragraphs are wrapped, lists
// and quotes indented, code stands as it is, tables have columns. Nothing of
// the text is left out but its marks; the address of a link follows its text.
// HTML is shown as text. The text is sanitized here.
std::vector<std::string> MarkdownRows(absl::string_view text, size_t columns,
                                      Escapes escapes);

// Returns how much of a text that is still being written can be shown: up to
// the beginning of a block that can't belong to one before. 0 if nothing can.
size_t CompleteMarkdown(absl::string_view text);

}  // namespace troika::cli

#endif  // TROIKA_CLI_TIMELINE_MARKDOWN_H_
