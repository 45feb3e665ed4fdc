// The characters of JSON texts, looked at in blocks.
#ifndef TROIKA_BASE_JSON_TEXT_H_
#define TROIKA_BASE_JSON_TEXT_H_

#include "absl/strings/string_view.h"

namespace troika::json {

// Copies `text` to `out`, which has room for it, and tells whether any byte of
// it is below 0x20, white space included.
bool CopyAndFindControl(absl::string_view text, char* out);

}  // namespace troika::json

#endif  // TROIKA_BASE_JSON_TEXT_H_
