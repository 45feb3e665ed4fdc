// Rows of sanitized text (terminal_text.h) with sequences that set colours.
#ifndef TROIKA_CLI_TIMELINE_PAINTED_TEXT_H_
#define TROIKA_CLI_TIMELINE_PAINTED_TEXT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace troika::cli {

// Returns the length of the sequence that sets a colour at the start of `text`,
// or 0 if there is none.
size_t ColourLength(absl::string_view text);

// Returns the columns that a row takes.
size_t PaintedWidth(absl::string_view text);

// Returns `text`, or its start and "…" if it takes more than `columns`. All
// colours are kept, so that they end.
std::string CutPainted(absl::string_view text, size_t columns);

// Splits `text` into rows of at most `columns`, which must not be 0. A colour
// that is set at the end of a row is set again in the next one.
std::vector<std::string> WrapPainted(absl::string_view text, size_t columns);

}  // namespace troika::cli

#endif  // TROIKA_CLI_TIMELINE_PAINTED_TEXT_H_
