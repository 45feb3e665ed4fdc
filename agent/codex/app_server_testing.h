// Helpers for tests of app-server's wire.
#ifndef TROIKA_AGENT_CODEX_APP_SERVER_TESTING_H_
#define TROIKA_AGENT_CODEX_APP_SERVER_TESTING_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "agent/codex/app_server.h"
#include "agent/drift.h"
#include "agent/testing.h"

namespace troika::codex {

// Feeds a conversation record by record, as a log does.
class AppConversation {
 public:
  explicit AppConversation(ProtocolOptions options = {})
      : protocol_((options.drift = &drift_, options)) {}

  AppConversation& Receive(absl::string_view line) {
    protocol_.OnReceived(RecordOf(line, ++number_), Sink());
    return *this;
  }
  // Receives a line over kMaxLineBytes that begins so.
  AppConversation& ReceiveLong(absl::string_view start) {
    Record record = RecordOf(start, ++number_);
    record.size = kMaxLineBytes + 1;
    protocol_.OnReceived(record, Sink());
    return *this;
  }
  AppConversation& Note(const Note& note) {
    protocol_.OnNote(RecordOf("", ++number_), note, Sink());
    return *this;
  }
  AppConversation& Prompt(absl::string_view text) {
    return Note(TurnAsked{.turn = ++turns_, .prompt = std::string(text)});
  }
  // Writes the outbox; returns its lines.
  std::string Flush() {
    std::string lines;
    for (const Outgoing& outgoing : std::vector(protocol_.outbox())) {
      keys_.push_back(outgoing.key);
      if (outgoing.kind == Outgoing::Kind::kClose) {
        absl::StrAppend(&lines, "(close)\n");
        Note(InputClosed{});
        continue;
      }
      absl::StrAppend(&lines, outgoing.bytes);
      Record record = RecordOf(outgoing.bytes, ++number_);
      record.bytes.remove_suffix(1);
      record.size -= 1;
      record.key = outgoing.key;
      protocol_.OnWritten(record, Sink());
    }
    return lines;
  }
  // Opens the thread t, and starts the turn u1 with the prompt "go".
  AppConversation& Begin() {
    Prompt("go").Flush();
    Receive(R"({"id":1,"result":{"userAgent":"x"}})").Flush();
    Receive(kOpened).Flush();
    Receive(R"({"id":3,"result":{"turn":{"id":"u1","status":"inProgress"}}})");
    Started("u1");
    messages_.clear();
    return *this;
  }
  AppConversation& Started(absl::string_view turn) {
    return Receive(absl::StrCat(
        R"({"method":"turn/started","params":{"threadId":"t","turn":{"id":")",
        turn, R"(","status":"inProgress"}}})"));
  }
  AppConversation& Completed(absl::string_view turn = "u1",
                             absl::string_view status = "completed") {
    return Receive(absl::StrCat(
        R"({"method":"turn/completed","params":{"threadId":"t","turn":{"id":")",
        turn, R"(","status":")", status, R"(","error":null}}})"));
  }
  AppConversation& Item(absl::string_view event, absl::string_view item) {
    return Receive(absl::StrCat(R"({"method":"item/)", event,
                                R"(","params":{"item":)", item,
                                R"(,"threadId":"t","turnId":"u1"}})"));
  }

  static constexpr absl::string_view kOpened =
      R"({"id":2,"result":{"thread":{"id":"t","cliVersion":"0.166.0"},)"
      R"("model":"m","cwd":"/w","approvalPolicy":"untrusted"}})";

  const std::vector<Message>& messages() const { return messages_; }
  const std::vector<std::string>& keys() const { return keys_; }
  template <typename P>
  std::vector<P> All() const {
    return Payloads<P>(messages_);
  }
  std::vector<std::string> DriftSeen() const {
    std::vector<std::string> what;
    for (const Drift::Entry& e : drift_.Entries()) what.push_back(e.what);
    return what;
  }
  AppServerProtocol& protocol() { return protocol_; }

 private:
  std::function<void(Message&&)> Sink() {
    return [this](Message&& m) { messages_.push_back(std::move(m)); };
  }

  Drift drift_;
  AppServerProtocol protocol_;
  int64_t number_ = 0;
  int turns_ = 0;
  std::vector<Message> messages_;
  std::vector<std::string> keys_;
};

}  // namespace troika::codex

#endif  // TROIKA_AGENT_CODEX_APP_SERVER_TESTING_H_
