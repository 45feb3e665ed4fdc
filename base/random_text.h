// Random texts that nobody can guess, for tokens and ids.
#ifndef TROIKA_BASE_RANDOM_TEXT_H_
#define TROIKA_BASE_RANDOM_TEXT_H_

#include <sys/random.h>
#include <sys/types.h>

#include <cstddef>
#include <string>

#include "absl/strings/escaping.h"
#include "base/check.h"

namespace troika {

// Returns that many random bytes (up to 256) as letters, digits, - and _.
inline std::string RandomText(size_t bytes) {
  std::string random(bytes, '\0');
  // Requests of up to 256 bytes are never cut or interrupted.
  CHECK(getrandom(random.data(), bytes, 0) == static_cast<ssize_t>(bytes));
  std::string text = absl::WebSafeBase64Escape(random);
  while (!text.empty() && text.back() == '=') text.pop_back();
  return text;
}

}  // namespace troika

#endif  // TROIKA_BASE_RANDOM_TEXT_H_
