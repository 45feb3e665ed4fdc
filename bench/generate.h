// Streams for measuring, in the shape of what the CLIs print over a long
// session. Made up, with sizes and mixes as recorded sessions have them; the
// sources of each wire say what the mix is.
#ifndef TROIKA_BENCH_GENERATE_H_
#define TROIKA_BENCH_GENERATE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "agent/harness.h"

namespace troika::bench {

// One conversation, turn by turn.
class Session {
 public:
  virtual ~Session() = default;
  virtual void AppendTurn(std::string* out) = 0;
};

std::unique_ptr<Session> NewCodexSession(uint64_t seed);
std::unique_ptr<Session> NewClaudeSession(uint64_t seed);
std::unique_ptr<Session> NewGeminiSession(uint64_t seed);

// Whole turns of one conversation until there are `bytes` of them; always the
// same for the same arguments.
std::string GenerateStream(Harness harness, int64_t bytes, uint64_t seed = 1);

// `text` as a JSON string, quotes included.
std::string Quoted(absl::string_view text);

}  // namespace troika::bench

#endif  // TROIKA_BENCH_GENERATE_H_
