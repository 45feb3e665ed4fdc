// The hash SHA-256 (FIPS 180-4).
#ifndef TROIKA_BASE_SHA256_H_
#define TROIKA_BASE_SHA256_H_

#include <string>

#include "absl/strings/string_view.h"

namespace troika {

// Returns 64 lower-case hexadecimal digits.
std::string Sha256(absl::string_view bytes);

}  // namespace troika

#endif  // TROIKA_BASE_SHA256_H_
