// Scans the characters of JSON texts in blocks.
#ifndef TROIKA_BASE_JSON_TEXT_H_
#define TROIKA_BASE_JSON_TEXT_H_

#include "absl/strings/string_view.h"

namespace troika::json {

// Copies `text` to `out`, which has room for it. Returns whether any byte is
// below 0x20, white space included.
bool CopyAndFindControl(absl::string_view text, char* out);

}  // namespace troika::json

#endif  // TROIKA_BASE_JSON_TEXT_H_
