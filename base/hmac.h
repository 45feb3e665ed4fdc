// HMAC-SHA256 (RFC 2104), by which a receiver knows who sent a message and
// that nobody has changed it.
#ifndef TROIKA_BASE_HMAC_H_
#define TROIKA_BASE_HMAC_H_

#include <string>

#include "absl/strings/string_view.h"

namespace troika {

// Returns 32 bytes.
std::string HmacSha256(absl::string_view key, absl::string_view message);

}  // namespace troika

#endif  // TROIKA_BASE_HMAC_H_
