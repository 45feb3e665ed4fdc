#include "task/testing.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "agent/testing.h"
#include "dto/text.h"

namespace troika {

LogMaker& LogMaker::Note(const notes::Note& note) {
  return NoteText(notes::ToJson(note));
}

LogMaker& LogMaker::NoteText(absl::string_view json) {
  return Add(relay::Stream::kNote, relay::LineEnd::kNewline, json);
}

LogMaker& LogMaker::Stdout(absl::string_view line) {
  return Add(relay::Stream::kStdout, relay::LineEnd::kNewline, line);
}

LogMaker& LogMaker::Stderr(absl::string_view line) {
  return Add(relay::Stream::kStderr, relay::LineEnd::kNewline, line);
}

LogMaker& LogMaker::Stdin(absl::string_view line, absl::string_view key) {
  return Add(relay::Stream::kStdin, relay::LineEnd::kNewline, line, key);
}

LogMaker& LogMaker::Add(relay::Stream stream, relay::LineEnd end,
                        absl::string_view payload, absl::string_view key) {
  ++number_;
  const auto size = static_cast<int64_t>(payload.size()) + 40;
  const absl::Duration time = absl::Seconds(number_) + passed_;
  entries_.push_back(relay::LogRecord{.number = number_,
                                      .micros = absl::ToInt64Microseconds(time),
                                      .stream = stream,
                                      .end = end,
                                      .key = Keep(key),
                                      .payload = Keep(payload),
                                      .offset = offset_,
                                      .size = size});
  offset_ += size;
  return *this;
}

LogMaker& LogMaker::Batch(relay::Stream stream, absl::string_view text) {
  const std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  for (size_t i = 0; i < lines.size(); ++i) {
    Add(stream, relay::LineEnd::kNewline, lines[i]);
    std::get<relay::LogRecord>(entries_.back()).lines_after =
        static_cast<int64_t>(lines.size() - 1 - i);
  }
  return *this;
}

LogMaker& LogMaker::Pass(absl::Duration time) {
  passed_ += time;
  return *this;
}

LogMaker& LogMaker::StdoutLines(absl::string_view text) {
  for (const absl::string_view line :
       absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    Stdout(line);
  }
  return *this;
}

LogMaker& LogMaker::Damage(int missing) {
  entries_.push_back(relay::Damage{.after_record = number_,
                                   .offset = offset_,
                                   .bytes = 10,
                                   .what = "a checksum differs",
                                   .snippet = "\xFFx"});
  number_ += missing;
  offset_ += 10;
  return *this;
}

LogMaker& LogMaker::Begin(absl::string_view harness) {
  Note(notes::Request{.task = "t1",
                      .harness = std::string(harness),
                      .prompt = "go",
                      .cwd = "/src"});
  return Note(notes::Turn{.turn = 1, .prompt = "go", .by = "user"});
}

LogMaker& LogMaker::Spawn(int generation, int turn) {
  return Note(notes::Spawned{.generation = generation,
                             .turn = turn,
                             .argv = {"agent", "--secret"},
                             .version = "1.2"});
}

LogMaker& LogMaker::GoodTurn(int turn) {
  return Spawn(turn, turn)
      .Stdin("go", absl::StrCat("turn-", turn, ".prompt"))
      .Note(notes::StdinClosed{})
      .Stdout(kThread)
      .Stdout(kTurnStarted)
      .Stdout(kAnswer)
      .Stdout(kTurnCompleted)
      .Note(notes::Exited{.code = 0});
}

absl::string_view LogMaker::Keep(absl::string_view text) {
  return kept_.emplace_back(text);
}

void Tell(Replay& replay, int64_t number, const notes::Note& note) {
  const std::string json = notes::ToJson(note);
  replay.OnRecord({.number = number, .payload = json}, [](Message&&) {});
}

void Feed(Replay& replay, const LogMaker::Entry& entry, MessageSink sink) {
  if (const auto* record = std::get_if<relay::LogRecord>(&entry)) {
    replay.OnRecord(*record, sink);
  } else {
    replay.OnDamage(std::get<relay::Damage>(entry), sink);
  }
}

std::vector<Message> RunLog(Replay& replay, const LogMaker& log, size_t count) {
  std::vector<Message> messages;
  count = std::min(count, log.entries().size());
  for (size_t i = 0; i < count; ++i) {
    Feed(replay, log.entries()[i],
         [&](Message&& m) { messages.push_back(std::move(m)); });
  }
  return messages;
}

std::string Texts(const std::vector<Message>& messages) {
  std::string out;
  for (Message m : messages) {
    m.time.reset();
    absl::StrAppend(&out, EventText(m), "\n");
  }
  return out;
}

std::string StatusOf(const Replay& replay) {
  return std::string(NameOf(replay.state().status));
}

Result LastResult(const std::vector<Message>& messages) {
  const std::vector<Result> results = Payloads<Result>(messages);
  return results.empty() ? Result{.error = "no result"} : results.back();
}

}  // namespace troika
