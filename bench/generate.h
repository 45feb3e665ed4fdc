// Generates streams for benchmarks that resemble the CLIs' output in a long
// session. Contents are invented; sizes and mixes follow recorded sessions, as
// described in each wire's source file.
#ifndef TROIKA_BENCH_GENERATE_H_
#define TROIKA_BENCH_GENERATE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "agent/harness.h"

namespace troika::bench {

// Generates one conversation, turn by turn.
class Session {
 public:
  virtual ~Session() = default;
  virtual void AppendTurn(std::string* out) = 0;
};

std::unique_ptr<Session> NewCodexSession(uint64_t seed);
std::unique_ptr<Session> NewClaudeSession(uint64_t seed);
std::unique_ptr<Session> NewGeminiSession(uint64_t seed);

// Returns whole turns of one conversation, at least `bytes` long in total; the
// same arguments always give the same stream.
std::string GenerateStream(Harness harness, int64_t bytes, uint64_t seed = 1);

// Returns `text` as a JSON string, with its quotes.
std::string Quoted(absl::string_view text);

}  // namespace troika::bench

#endif  // TROIKA_BENCH_GENERATE_H_
