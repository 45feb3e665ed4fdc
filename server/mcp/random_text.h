// Texts that nobody can guess.
#ifndef TROIKA_SERVER_MCP_RANDOM_TEXT_H_
#define TROIKA_SERVER_MCP_RANDOM_TEXT_H_

#include <sys/random.h>

#include <cstdint>
#include <string>

#include "absl/strings/str_format.h"

namespace troika {

// 32 characters.
inline std::string RandomText() {
  uint64_t random[2] = {};
  (void)!getrandom(random, sizeof(random), 0);
  return absl::StrFormat("%016x%016x", random[0], random[1]);
}

}  // namespace troika

#endif  // TROIKA_SERVER_MCP_RANDOM_TEXT_H_
