// Text that a person is asked to approve, with every character made visible.
//
// terminal_text.h makes text pleasant to read and may drop colours or unify
// ends of lines. Here nothing is dropped: what looks the same is the same.
#ifndef TROIKA_CLI_TIMELINE_EXACT_TEXT_H_
#define TROIKA_CLI_TIMELINE_EXACT_TEXT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace troika::cli {

// All of `text` on one line. Control characters become their pictures (␛, ␍, ␉
// for a tab, ␊ for a newline); what is invisible, reorders text or looks like
// an ASCII character becomes <U+202E>; a byte that is not UTF-8 <0xFF>; spaces
// at the end ␠.
std::string ExactLine(absl::string_view text);

// The lines of `text`, each exact. A newline at the end ends the last line;
// only an empty text has no lines.
std::vector<std::string> ExactLines(absl::string_view text);

}  // namespace troika::cli

#endif  // TROIKA_CLI_TIMELINE_EXACT_TEXT_H_
