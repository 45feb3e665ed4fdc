// Text of strangers, made fit for a terminal: what an agent prints must not
// move the cursor, set a title, hide itself or reverse the words around it.
#ifndef TROIKA_CLI_TIMELINE_TERMINAL_TEXT_H_
#define TROIKA_CLI_TIMELINE_TERMINAL_TEXT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace troika::cli {

// Valid UTF-8 with ends of lines and tabs, and no other control character.
// Colours are left out; other control characters become visible ones, such as
// ␛, and those that turn the direction of text become U+FFFD. "\r\n" and "\r"
// end lines, too.
std::string Harmless(absl::string_view text);

// More than a line of any terminal has room for.
inline constexpr size_t kLongestLine = 400;

// The same on one line: each run of white space becomes one space, and none is
// left at the ends. Only as much of `text` is looked at as can be needed for
// `columns` of it.
std::string HarmlessLine(absl::string_view text, size_t columns = kLongestLine);

// "a: b", or the one that is there.
std::string Labelled(absl::string_view a, absl::string_view b);

// One line from which the bytes can be told: control characters and what is not
// UTF-8 as \n, \x1b, \u{9b}.
std::string Escaped(absl::string_view bytes);

// How many columns a terminal needs for `text`, which is harmless and one line.
size_t DisplayWidth(absl::string_view text);

// `text`, or its start and "…" where it needs more than `columns`. Never cut
// within a character.
std::string CutToWidth(absl::string_view text, size_t columns);

// `text`, or its start, "…" and its end where it needs more than `columns`.
std::string CutMiddleToWidth(absl::string_view text, size_t columns);

// `text`, which is one line, in rows of at most `columns`; 0: in one row. A row
// ends after a space if it can. Nothing is left out, not even that space.
std::vector<std::string> WrapToWidth(absl::string_view text, size_t columns);

}  // namespace troika::cli

#endif  // TROIKA_CLI_TIMELINE_TERMINAL_TEXT_H_
