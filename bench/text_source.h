// Generates text like that of agents and tools: prose, code, listings, logs.
#ifndef TROIKA_BENCH_TEXT_SOURCE_H_
#define TROIKA_BENCH_TEXT_SOURCE_H_

#include <cstdint>
#include <random>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace troika::bench {

// The same seed gives the same texts. Some contain quotes, tabs, backslashes
// and characters beyond ASCII, about as often as real sessions do.
class TextSource {
 public:
  explicit TextSource(uint64_t seed) : random_(seed) {}

  int Between(int low, int high);
  bool Percent(int share) { return Between(1, 100) <= share; }
  absl::string_view Pick(absl::Span<const absl::string_view> from);

  // Returns an agent's text: mostly 100 to 600 bytes, up to 1500.
  std::string Prose();
  // Returns a tool's output: 30 % under 300 bytes, 45 % up to 2 KB, 20 % up to
  // 8 KB, 5 % from 16 to 30 KB.
  std::string Output();
  std::string Code(int bytes);
  std::string Command();
  std::string Path();
  std::string Uuid();

 private:
  std::string Lines(absl::Span<const absl::string_view> from, int bytes,
                    absl::string_view separator);

  std::mt19937_64 random_;
};

}  // namespace troika::bench

#endif  // TROIKA_BENCH_TEXT_SOURCE_H_
