#include "testing/fake/wire.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace troika::fake {

Tokens& Tokens::operator+=(const Tokens& other) {
  input += other.input;
  cached += other.cached;
  output += other.output;
  return *this;
}

std::string Wire::Say(absl::string_view text) {
  last_text_ = std::string(text);
  return SayLines(text);
}

std::string Wire::StartRun(absl::string_view command) {
  running_.push_back(
      {.id = NewToolId(shell_tool()), .command = std::string(command)});
  return StartRunLines(running_.back());
}

std::string Wire::EndRun(const CommandOutcome& outcome) {
  const Running run = std::move(running_.front());
  running_.pop_front();
  return EndRunLines(run, outcome);
}

Tokens Wire::TakeTokens() {
  options_.total += tokens_;
  return std::exchange(tokens_, kDefaultTokens);
}

void Wire::ForgetTurn() {
  tokens_ = kDefaultTokens;
  running_.clear();
  last_text_.clear();
}

std::unique_ptr<Wire> NewWire(const WireOptions& options) {
  switch (options.harness) {
    case Harness::kCodex:
      return options.version < Version{0, 43, 0} ? NewCodexMsgWire(options)
                                                 : NewCodexWire(options);
    case Harness::kClaude:
    case Harness::kDemo:
      return NewClaudeWire(options);
    case Harness::kAcp:
    case Harness::kGemini:
      return NewGeminiWire(options);
  }
  return nullptr;
}

std::string JsonArray(absl::Span<const std::string> elements) {
  return absl::StrCat("[", absl::StrJoin(elements, ","), "]");
}

}  // namespace troika::fake
