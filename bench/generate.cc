#include "bench/generate.h"

#include "base/json.h"

namespace troika::bench {
namespace {

std::unique_ptr<Session> NewSession(Harness harness, uint64_t seed) {
  switch (harness) {
    case Harness::kClaude:
    case Harness::kDemo:
      return NewClaudeSession(seed);
    case Harness::kAcp:
    case Harness::kGemini:
      return NewGeminiSession(seed);
    case Harness::kCodex:
      break;
  }
  return NewCodexSession(seed);
}

}  // namespace

std::string GenerateStream(Harness harness, int64_t bytes, uint64_t seed) {
  std::string stream;
  stream.reserve(bytes + (bytes >> 4));
  const std::unique_ptr<Session> session = NewSession(harness, seed);
  while (static_cast<int64_t>(stream.size()) < bytes) {
    session->AppendTurn(&stream);
  }
  return stream;
}

std::string Quoted(absl::string_view text) {
  std::string quoted;
  json::AppendQuoted(text, &quoted);
  return quoted;
}

}  // namespace troika::bench
