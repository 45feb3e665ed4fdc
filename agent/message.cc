#include "agent/message.h"

#include <algorithm>

namespace troika {

TokenCounts& TokenCounts::operator+=(const TokenCounts& other) {
  input += other.input;
  cached += other.cached;
  cache_write += other.cache_write;
  output += other.output;
  reasoning += other.reasoning;
  return *this;
}

TokenCounts TokenCounts::Since(const TokenCounts& earlier) const {
  const auto since = [](int64_t now, int64_t then) {
    return std::max<int64_t>(0, now - then);
  };
  return {.input = since(input, earlier.input),
          .cached = since(cached, earlier.cached),
          .cache_write = since(cache_write, earlier.cache_write),
          .output = since(output, earlier.output),
          .reasoning = since(reasoning, earlier.reasoning)};
}

}  // namespace troika
