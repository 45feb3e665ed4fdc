// Works on the characters of JSON texts, for base/json.
#ifndef TROIKA_BASE_JSON_TEXT_H_
#define TROIKA_BASE_JSON_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace troika::json {

// Copies `text` to `out`, which has room for it. Returns whether any byte is
// below 0x20, white space included.
bool CopyAndFindControl(absl::string_view text, char* out);

// Copies `text` to `out`, with lone surrogate escapes (Node prints them for a
// text that was cut inside an emoji) as \ufffd, and numbers beyond a double's
// range as strings of their digits. Returns false, with `out` unspecified, if
// there was nothing to mend. Takes one pass; `text` may be the contents of
// `out`.
bool MendEscapesAndNumbers(absl::string_view text, std::string* out);

}  // namespace troika::json

#endif  // TROIKA_BASE_JSON_TEXT_H_
