#include "agent/message.h"

#include <limits>

namespace troika {
namespace {

// Counts come from strangers: sums stop at the type's ends.
int64_t Add(int64_t a, int64_t b) {
  int64_t sum;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a > 0 ? std::numeric_limits<int64_t>::max()
               : std::numeric_limits<int64_t>::min();
}

// Never below zero.
int64_t Subtract(int64_t a, int64_t b) {
  if (a <= b) return 0;
  int64_t difference;
  return __builtin_sub_overflow(a, b, &difference)
             ? std::numeric_limits<int64_t>::max()
             : difference;
}

}  // namespace

TokenCounts& TokenCounts::operator+=(const TokenCounts& other) {
  input = Add(input, other.input);
  cached = Add(cached, other.cached);
  cache_write = Add(cache_write, other.cache_write);
  output = Add(output, other.output);
  reasoning = Add(reasoning, other.reasoning);
  return *this;
}

TokenCounts TokenCounts::Since(const TokenCounts& earlier) const {
  return {.input = Subtract(input, earlier.input),
          .cached = Subtract(cached, earlier.cached),
          .cache_write = Subtract(cache_write, earlier.cache_write),
          .output = Subtract(output, earlier.output),
          .reasoning = Subtract(reasoning, earlier.reasoning)};
}

}  // namespace troika
