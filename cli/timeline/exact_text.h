// Text that a person is asked to approve, with every character made visible.
//
// terminal_text.h makes text pleasant to read and may drop colours or unify
// line ends. These functions drop nothing: texts that look the same are the
// same.
#ifndef TROIKA_CLI_TIMELINE_EXACT_TEXT_H_
#define TROIKA_CLI_TIMELINE_EXACT_TEXT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/json.h"

namespace troika::cli {

// Returns all of `text` on one line. Control characters become their pictures
// (␛, ␍, ␉ for a tab, ␊ for a newline); characters that are invisible, reorder
// text or look like an ASCII character become <U+202E>; a byte that is not
// UTF-8 becomes <0xFF>; spaces at the end become ␠.
std::string ExactLine(absl::string_view text);

// Returns the lines of `text`, each exact. A newline at the end ends the last
// line; only an empty text has no lines.
std::vector<std::string> ExactLines(absl::string_view text);

// Returns `value` as indented JSON in exact lines, one for each member or
// element. A string continues on a new line after each \n. Members of the same
// name are all shown.
std::vector<std::string> ExactJson(json::Value value);

}  // namespace troika::cli

#endif  // TROIKA_CLI_TIMELINE_EXACT_TEXT_H_
