// Makes untrusted text fit for a terminal: output of an agent must not move the
// cursor, set a title, hide itself or reverse the words around it.
#ifndef TROIKA_CLI_TIMELINE_TERMINAL_TEXT_H_
#define TROIKA_CLI_TIMELINE_TERMINAL_TEXT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace troika::cli {

// Returns `text` as valid UTF-8 without control characters other than newlines
// and tabs. Colours are dropped; other control characters become visible ones,
// such as ␛, and those that change the direction of text become U+FFFD. "\r\n"
// and "\r" become newlines.
std::string Sanitized(absl::string_view text);

// More columns than any terminal has.
inline constexpr size_t kLongestLine = 400;

// Returns `text` sanitized and on one line: each run of white space becomes one
// space, and none is left at the ends. Reads only as much of `text` as can be
// needed for `columns`.
std::string SanitizedLine(absl::string_view text,
                          size_t columns = kLongestLine);

// Returns "a: b", or the one that is not empty.
std::string Labelled(absl::string_view a, absl::string_view b);

// Returns `bytes` on one line without loss: control characters, and bytes that
// are not UTF-8, become \n, \x1b, \u{9b}.
std::string Escaped(absl::string_view bytes);

// The functions below take text that is sanitized and one line.

// Returns how many columns of a terminal `text` takes.
size_t DisplayWidth(absl::string_view text);

// Returns `text`, or its start and "…" if it takes more than `columns`.
std::string CutToWidth(absl::string_view text, size_t columns);

// Returns `text`, or its start, "…" and its end if it takes more than
// `columns`.
std::string CutMiddleToWidth(absl::string_view text, size_t columns);

// Splits `text` into rows of at most `columns`, or returns one row if that is
// 0. A row ends after a space if it can. Nothing is dropped, not even that
// space.
std::vector<std::string> WrapToWidth(absl::string_view text, size_t columns);

}  // namespace troika::cli

#endif  // TROIKA_CLI_TIMELINE_TERMINAL_TEXT_H_
