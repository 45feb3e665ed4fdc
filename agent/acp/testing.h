// Helpers for tests of the Agent Client Protocol.
#ifndef TROIKA_AGENT_ACP_TESTING_H_
#define TROIKA_AGENT_ACP_TESTING_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "agent/acp/parse.h"
#include "agent/drift.h"
#include "agent/testing.h"

namespace troika::acp {

inline constexpr absl::string_view kInitialized =
    R"({"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"a","version":"1.2.3"},"agentCapabilities":{"loadSession":true,"promptCapabilities":{"image":true}}}})";
inline constexpr absl::string_view kSessionMade =
    R"({"jsonrpc":"2.0","id":1,"result":{"sessionId":"s1","modes":{"currentModeId":"default","availableModes":[]}}})";

// Feeds a conversation record by record.
class Conversation {
 public:
  explicit Conversation(const SessionSetup& setup = {.cwd = "/w"},
                        const Continuation& continuation = {})
      : protocol_({.continuation = continuation,
                   .drift = &drift_,
                   .wire = Wire::kAcp,
                   .setup_json = SetupJson(setup)},
                  Harness::kGemini) {}

  Conversation& Receive(absl::string_view line) {
    protocol_.OnReceived(RecordOf(line, ++number_), Sink());
    return *this;
  }
  // Receives a line over kMaxLineBytes that begins so.
  Conversation& ReceiveLong(absl::string_view start) {
    Record record = RecordOf(start, ++number_);
    record.size = kMaxLineBytes + 1;
    protocol_.OnReceived(record, Sink());
    return *this;
  }
  // Receives an update of the session s1.
  Conversation& Update(absl::string_view update) {
    return Receive(absl::StrCat(
        R"({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":)",
        update, "}}"));
  }
  Conversation& Notify(const Note& note) {
    protocol_.OnNote(RecordOf("", ++number_), note, Sink());
    return *this;
  }
  // Writes the first line of the outbox and returns it.
  std::string WriteNext() {
    if (protocol_.outbox().empty()) return "";
    const Outgoing wanted = protocol_.outbox().front();
    const std::string line(absl::StripSuffix(wanted.bytes, "\n"));
    Record record = RecordOf(line, ++number_);
    record.key = wanted.key;
    protocol_.OnWritten(record, Sink());
    return line;
  }
  // Writes the whole outbox.
  Conversation& WriteAll() {
    while (!protocol_.outbox().empty()) WriteNext();
    return *this;
  }
  // Asks for a turn and conducts it until its prompt is written, with id 2.
  Conversation& Open() {
    Notify(TurnAsked{.turn = 1, .prompt = "go"}).WriteAll();
    Receive(kInitialized).WriteAll();
    return Receive(kSessionMade).WriteAll();
  }
  Conversation& End() { return Notify(ProcessEnded{}); }

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
  AcpProtocol& protocol() { return protocol_; }

 private:
  std::function<void(Message&&)> Sink() {
    return [this](Message&& m) { messages_.push_back(std::move(m)); };
  }

  Drift drift_;
  AcpProtocol protocol_;
  int64_t number_ = 0;
  std::vector<Message> messages_;
};

}  // namespace troika::acp

#endif  // TROIKA_AGENT_ACP_TESTING_H_
