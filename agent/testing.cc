#include "agent/testing.h"

#include <map>
#include <set>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/json.h"
#include "base/line_splitter.h"

namespace troika {

Record RecordOf(absl::string_view line, int64_t number) {
  return {.number = number,
          .time = std::nullopt,
          .bytes = line,
          .offset = 0,
          .size = static_cast<int64_t>(line.size())};
}

std::vector<Message> RunStream(Protocol& protocol, absl::string_view stream,
                               const std::vector<size_t>& cuts) {
  std::vector<Message> messages;
  const auto sink = [&](Message&& m) { messages.push_back(std::move(m)); };
  int64_t number = 0;
  const auto on_line = [&](const LineSplitter::Line& line) {
    protocol.OnReceived({.number = ++number,
                         .time = std::nullopt,
                         .bytes = line.bytes,
                         .offset = line.offset,
                         .size = line.size},
                        sink);
  };
  LineSplitter splitter(kMaxLineBytes);
  for (size_t i = 0; !stream.empty(); ++i) {
    const size_t size = cuts.empty()
                            ? stream.size()
                            : std::max<size_t>(1, cuts[i % cuts.size()]);
    splitter.Feed(stream.substr(0, size), on_line);
    stream.remove_prefix(std::min(size, stream.size()));
  }
  splitter.Finish(on_line);
  protocol.OnNote(RecordOf("", ++number), ProcessEnded{}, sink);
  return messages;
}

namespace {

void FeedNote(Protocol& protocol, const Record& record, json::Value note,
              MessageSink sink) {
  if (note.Get("turn").IsString()) {
    protocol.OnNote(
        record, TurnAsked{.prompt = std::string(note.Get("turn").StringOr(""))},
        sink);
  } else if (note.Get("interrupt").exists()) {
    protocol.OnNote(record, InterruptAsked{}, sink);
  } else if (note.Get("answer").IsString()) {
    protocol.OnNote(
        record,
        AnswerGiven{
            .id = std::string(note.Get("answer").StringOr("")),
            .by = "user",
            .answer = ApprovalAnswer{.allow = note.Get("allow").BoolOr(false),
                                     .reason = std::string(
                                         note.Get("reason").StringOr(""))}},
        sink);
  }
}

void WriteOutbox(Protocol& protocol, int64_t number, MessageSink sink) {
  const std::vector<Outgoing> outbox = protocol.outbox();
  for (const Outgoing& outgoing : outbox) {
    if (outgoing.kind == Outgoing::Kind::kClose) {
      protocol.OnNote(RecordOf("", number), InputClosed{}, sink);
      return;
    }
    Record record = RecordOf(
        absl::string_view(outgoing.bytes).substr(0, outgoing.bytes.size() - 1),
        number);
    record.key = outgoing.key;
    protocol.OnWritten(record, sink);
  }
}

}  // namespace

std::vector<Message> RunTranscript(Protocol& protocol,
                                   absl::string_view transcript) {
  std::vector<Message> messages;
  // The messages of an outbox that is written at once are one record's.
  int32_t index = 0;
  int64_t number = 0;
  const auto sink = [&](Message&& m) {
    m.id = {number, index++};
    messages.push_back(std::move(m));
  };
  json::Parser parser;
  for (const absl::string_view line : absl::StrSplit(transcript, '\n')) {
    ++number;
    index = 0;
    const auto parsed = parser.Parse(line);
    const json::Value value = parsed.ok() ? *parsed : json::Value();
    const absl::string_view dir = value.Get("dir").StringOr("");
    const std::string msg = value.Get("msg").ToJson();
    if (dir == "s2c") {
      protocol.OnReceived(RecordOf(msg, number), sink);
    } else if (dir == "c2s") {
      protocol.OnWritten(RecordOf(msg, number), sink);
    } else if (dir == "write") {
      WriteOutbox(protocol, number, sink);
    } else if (dir == "note") {
      FeedNote(protocol, RecordOf("", number), value.Get("msg"), sink);
    } else {
      protocol.OnReceived(RecordOf(line, number), sink);
    }
  }
  ++number;
  index = 0;
  protocol.OnNote(RecordOf("", number), ProcessEnded{}, sink);
  return messages;
}

std::string BrokenRules(const std::vector<Message>& messages) {
  std::string broken;
  std::set<std::string> ids;
  std::map<std::string, int> results;
  const Message* last = nullptr;
  for (const Message& m : messages) {
    if (last && !(last->id < m.id)) {
      absl::StrAppend(&broken, "event ids do not rise at record ", m.id.record,
                      "\n");
    }
    last = &m;
    if (const auto* use = std::get_if<ToolUse>(&m.payload)) {
      if (!ids.insert(use->id).second) {
        absl::StrAppend(&broken, "two tool uses have the id ", use->id, "\n");
      }
    } else if (const auto* result = std::get_if<ToolResult>(&m.payload)) {
      if (!ids.contains(result->tool_use_id)) {
        absl::StrAppend(&broken,
                        "a tool result before its use: ", result->tool_use_id,
                        "\n");
      }
      if (++results[result->tool_use_id] > 1) {
        absl::StrAppend(&broken, "two results for the tool use ",
                        result->tool_use_id, "\n");
      }
    }
  }
  for (const std::string& id : ids) {
    if (results[id] == 0) {
      absl::StrAppend(&broken, "no result for the tool use ", id, "\n");
    }
  }
  return broken;
}

}  // namespace troika
