// Feeds a conversation line by line in tests.
#ifndef TROIKA_AGENT_CLAUDE_TEST_UTIL_H_
#define TROIKA_AGENT_CLAUDE_TEST_UTIL_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "agent/claude/parse.h"
#include "agent/drift.h"
#include "agent/testing.h"

namespace troika::claude {

class Conversation {
 public:
  explicit Conversation(const Continuation& continuation = {})
      : protocol_({.continuation = continuation, .drift = &drift_}) {}

  // Takes one or more lines.
  Conversation& Receive(absl::string_view lines) {
    for (const absl::string_view line : absl::StrSplit(lines, '\n')) {
      protocol_.OnReceived(RecordOf(line, ++number_), Sink());
    }
    return *this;
  }
  Conversation& Write(absl::string_view line) {
    protocol_.OnWritten(RecordOf(line, ++number_), Sink());
    return *this;
  }
  Conversation& End(const ProcessEnded& ended = {}) {
    protocol_.OnNote(RecordOf("", ++number_), ended, Sink());
    return *this;
  }

  const std::vector<Message>& messages() const { return messages_; }
  template <typename P>
  std::vector<P> All() const {
    return Payloads<P>(messages_);
  }
  std::vector<std::string> DriftSeen() const {
    std::vector<std::string> what;
    for (const Drift::Entry& e : drift_.Entries()) what.push_back(e.what);
    return what;
  }
  Protocol& protocol() { return protocol_; }

 private:
  std::function<void(Message&&)> Sink() {
    return [this](Message&& m) { messages_.push_back(std::move(m)); };
  }

  Drift drift_;
  ClaudeProtocol protocol_;
  int64_t number_ = 0;
  std::vector<Message> messages_;
};

}  // namespace troika::claude

#endif  // TROIKA_AGENT_CLAUDE_TEST_UTIL_H_
