// A conversation of any records: each line of the input is one, and its first
// byte says of which kind.
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "agent/acp/parse.h"
#include "agent/drift.h"
#include "agent/testing.h"
#include "base/check.h"
#include "base/json.h"

namespace troika::acp {
namespace {

class Run {
 public:
  explicit Run(Drift* drift)
      : protocol_({.drift = drift,
                   .wire = Wire::kAcp,
                   .setup_json = SetupJson({.cwd = "/w", .mode = "m"})},
                  Harness::kGemini) {}

  void Line(absl::string_view line) {
    const char kind = line.empty() ? ' ' : line[0];
    if (!line.empty()) line.remove_prefix(1);
    const Record record = RecordOf(line, ++number_);
    if (kind == '>') {
      protocol_.OnWritten(record, Sink());
    } else if (kind == 't') {
      Note(TurnAsked{.turn = ++turns_, .prompt = std::string(line)});
    } else if (kind == 'i') {
      Note(InterruptAsked{});
    } else if (kind == 'a' || kind == 'd' || kind == 'c') {
      ApprovalAnswer answer;
      answer.allow = kind == 'a';
      answer.choice = std::string(kind == 'a'   ? kApprove
                                  : kind == 'd' ? kDeny
                                                : kCancel);
      Note(
          AnswerGiven{.id = std::string(line), .by = "user", .answer = answer});
    } else if (kind == 'w') {
      WriteNext();
    } else {
      protocol_.OnReceived(record, Sink());
    }
    CheckOutbox();
  }

  void End() {
    Note(ProcessEnded{});
    const std::string broken = BrokenRules(messages_);
    if (!broken.empty()) std::fprintf(stderr, "%s", broken.c_str());
    CHECK(broken.empty());
    CHECK(protocol_.outbox().empty());
    const size_t count = messages_.size();
    Note(ProcessEnded{});
    CHECK(messages_.size() == count);
    for (const Message& message : messages_) {
      if (const auto* use = std::get_if<ToolUse>(&message.payload)) {
        CHECK(parser_.Parse(use->input_json).ok());
      }
    }
  }

 private:
  MessageSink Sink() { return keep_; }
  void Note(const troika::Note& note) {
    protocol_.OnNote(RecordOf("", ++number_), note, Sink());
  }
  void WriteNext() {
    if (protocol_.outbox().empty()) return;
    const Outgoing wanted = protocol_.outbox().front();
    Record record = RecordOf(absl::StripSuffix(wanted.bytes, "\n"), ++number_);
    record.key = wanted.key;
    protocol_.OnWritten(record, Sink());
  }
  // Each line that we want to write is one JSON object.
  void CheckOutbox() {
    for (const Outgoing& wanted : protocol_.outbox()) {
      absl::string_view line = wanted.bytes;
      CHECK(absl::ConsumeSuffix(&line, "\n"));
      CHECK(!absl::StrContains(line, '\n'));
      const auto value = parser_.Parse(line);
      CHECK(value.ok() && value->IsObject());
    }
  }

  struct Keep {
    std::vector<Message>* messages;
    void operator()(Message&& m) const { messages->push_back(std::move(m)); }
  };

  AcpProtocol protocol_;
  std::vector<Message> messages_;
  Keep keep_ = {&messages_};
  json::Parser parser_;
  int64_t number_ = 0;
  int turns_ = 0;
};

}  // namespace
}  // namespace troika::acp

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  troika::Drift drift;
  troika::acp::Run run(&drift);
  const absl::string_view input(reinterpret_cast<const char*>(data), size);
  for (const absl::string_view line : absl::StrSplit(input, '\n')) {
    run.Line(line);
  }
  run.End();
  return 0;
}
