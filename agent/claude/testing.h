// Helpers for tests of Claude Code's wire.
#ifndef TROIKA_AGENT_CLAUDE_TESTING_H_
#define TROIKA_AGENT_CLAUDE_TESTING_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "agent/claude/parse.h"
#include "agent/drift.h"
#include "agent/testing.h"
#include "base/json.h"

namespace troika::claude {

// edit(nth, value, text) may change the text that is written for the nth value
// in document order. Only the first elements of a long array are offered.
using WireEdit = absl::FunctionRef<void(int, json::Value, std::string*)>;

inline std::string EditWire(json::Value value, WireEdit edit, int* count) {
  const int nth = (*count)++;
  std::string text;
  if (value.IsObject()) {
    for (const json::Member& member : value.members()) {
      absl::StrAppend(&text, text.empty() ? "{" : ",");
      json::AppendQuoted(member.key, &text);
      absl::StrAppend(&text, ":", EditWire(member.value, edit, count));
    }
    absl::StrAppend(&text, text.empty() ? "{}" : "}");
  } else if (value.IsArray()) {
    constexpr int kOffered = 3;
    int index = 0;
    for (const json::Value item : value.items()) {
      absl::StrAppend(
          &text, text.empty() ? "[" : ",",
          index++ < kOffered ? EditWire(item, edit, count) : item.ToJson());
    }
    absl::StrAppend(&text, text.empty() ? "[]" : "]");
  } else {
    text = value.ToJson();
  }
  edit(nth, value, &text);
  return text;
}

// Feeds a conversation line by line.
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
  Conversation& Notify(const Note& note) {
    protocol_.OnNote(RecordOf("", ++number_), note, Sink());
    return *this;
  }
  Conversation& End(const ProcessEnded& ended = {}) { return Notify(ended); }

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

#endif  // TROIKA_AGENT_CLAUDE_TESTING_H_
