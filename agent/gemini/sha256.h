// SHA-256, for the names that Gemini CLI gives to folders.
#ifndef TROIKA_AGENT_GEMINI_SHA256_H_
#define TROIKA_AGENT_GEMINI_SHA256_H_

#include <string>

#include "absl/strings/string_view.h"

namespace troika::gemini {

// In hexadecimal digits, lower case.
std::string Sha256Hex(absl::string_view bytes);

}  // namespace troika::gemini

#endif  // TROIKA_AGENT_GEMINI_SHA256_H_
