#include "testing/protocol_fuzz.h"

#include <cstdio>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "agent/drift.h"
#include "agent/message.h"
#include "agent/testing.h"
#include "base/check.h"
#include "base/json.h"

namespace troika {
namespace {

// Starts a conversation or continues that of another process.
Continuation ContinuationOf(uint8_t choice) {
  if (choice % 2 == 0) return {};
  return {.generation = 2, .session_id = "earlier", .total_known = false};
}

std::vector<Message> CheckRun(Protocol& protocol,
                              std::vector<Message> messages) {
  const std::string broken = BrokenRules(messages);
  if (!broken.empty()) std::fprintf(stderr, "%s", broken.c_str());
  CHECK(broken.empty());
  // Everything is closed, so a second end must give no message.
  const Record end = RecordOf("", int64_t{1} << 40);
  protocol.OnNote(end, ProcessEnded{},
                  [](Message&&) { CHECK(false && "open after the end"); });
  return messages;
}

std::vector<Message> Run(Protocol& protocol, absl::string_view stream,
                         const std::vector<size_t>& cuts) {
  return CheckRun(protocol, RunStream(protocol, stream, cuts));
}

void CheckAlike(const std::vector<Message>& a, const std::vector<Message>& b) {
  CHECK(a.size() == b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    CHECK(a[i].id == b[i].id);
    CHECK(a[i].payload.index() == b[i].payload.index());
    CHECK(a[i].parent_tool_use_id == b[i].parent_tool_use_id);
    CHECK(a[i].block_id == b[i].block_id);
  }
}

void CheckInputs(const std::vector<Message>& messages) {
  json::Parser parser;
  for (const Message& message : messages) {
    if (const auto* use = std::get_if<ToolUse>(&message.payload)) {
      CHECK(json::IsValidUtf8(use->input_json));
      CHECK(parser.Parse(use->input_json).ok());
    }
  }
}

}  // namespace

void FuzzProtocol(const Backend& backend, absl::Span<const uint8_t> input,
                  std::optional<Wire> wire) {
  if (input.empty()) return;
  const uint8_t choice = input.back();
  const absl::string_view stream(reinterpret_cast<const char*>(input.data()),
                                 input.size() - 1);
  const Continuation continuation = ContinuationOf(choice);
  Drift drift;
  const std::unique_ptr<Protocol> first = backend.NewProtocol(
      {.continuation = continuation, .drift = &drift, .wire = wire});
  const std::unique_ptr<Protocol> second =
      backend.NewProtocol({.continuation = continuation, .wire = wire});
  const std::vector<Message> whole = Run(*first, stream, {});
  const std::vector<Message> pieces =
      Run(*second, stream, {size_t{1} + choice % 7, size_t{1} + choice / 7});
  CheckAlike(whole, pieces);
  CheckInputs(whole);
}

void FuzzTranscript(const Backend& backend, absl::Span<const uint8_t> input) {
  const absl::string_view transcript(
      reinterpret_cast<const char*>(input.data()), input.size());
  Drift drift;
  const std::unique_ptr<Protocol> first = backend.NewProtocol(
      {.drift = &drift, .setup_json = R"({"thread":{"a":1},"turn":{}})"});
  const std::unique_ptr<Protocol> second =
      backend.NewProtocol({.setup_json = R"({"thread":{"a":1},"turn":{}})"});
  const std::vector<Message> messages =
      CheckRun(*first, RunTranscript(*first, transcript));
  CheckAlike(messages, CheckRun(*second, RunTranscript(*second, transcript)));
  CheckInputs(messages);
}

}  // namespace troika
