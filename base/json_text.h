// The characters of JSON texts, looked at in blocks.
#ifndef TROIKA_BASE_JSON_TEXT_H_
#define TROIKA_BASE_JSON_TEXT_H_

#include "absl/strings/string_view.h"

namespace troika::json {

// Whether any byte is below 0x20, white space included.
bool HasControlCharacter(absl::string_view text);

}  // namespace troika::json

#endif  // TROIKA_BASE_JSON_TEXT_H_
