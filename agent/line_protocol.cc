#include "agent/line_protocol.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "agent/line_head.h"

namespace troika {
namespace {

constexpr absl::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr size_t kSnippetBytes = 200;
// Every reader of lines keeps as much of the start of a long one.
constexpr size_t kHeadBytes = 256;
// Limits of HasRoom().
constexpr size_t kMaxWanted = 1024;
constexpr size_t kMaxWantedBytes = size_t{16} << 20;

void EmitParseError(absl::string_view error, Emitter& out) {
  const Record& record = out.record();
  ParseError message;
  message.error = std::string(error);
  message.snippet = json::ToValidUtf8(record.bytes.substr(0, kSnippetBytes));
  message.offset = record.offset;
  message.size = record.size;
  out.Emit(std::move(message));
}

}  // namespace

LineProtocol::LineProtocol(const ProtocolOptions& options)
    : drift_(options.drift),
      ledger_(options.continuation.generation),
      meter_(options.continuation),
      session_id_(options.continuation.session_id),
      generation_(options.continuation.generation) {}

bool LineProtocol::IsNoise(const Record& record) {
  const absl::string_view start =
      absl::StripLeadingAsciiWhitespace(record.bytes);
  if (start.empty() || start[0] == '{') return false;
  // A byte order mark may precede an object.
  if (absl::StartsWith(start, kByteOrderMark)) return false;
  if (drift_) drift_->set_record(record.number);
  ReportUnknown("line", "unreadable");
  return true;
}

void LineProtocol::OnReceived(const Record& record, MessageSink sink) {
  Emitter out(record, sink);
  if (drift_) drift_->set_record(record.number);
  if (record.size > kMaxLineBytes) {
    ReportUnknown("line", "too long");
    out.EmitRaw("", absl::StrCat("a line of ", record.size,
                                 " bytes, over the limit of ", kMaxLineBytes));
    const std::string head = LineHead(record.bytes.substr(0, kHeadBytes));
    if (const auto start = parser_.Parse(head); start.ok()) {
      OnLongLine(*start, out);
    }
    return;
  }
  absl::string_view bytes = record.bytes;
  if (record.offset == 0) absl::ConsumePrefix(&bytes, kByteOrderMark);
  if (absl::StripAsciiWhitespace(bytes).empty()) return;
  const absl::StatusOr<json::Value> line = parser_.Parse(bytes);
  if (!line.ok()) {
    ReportUnknown("line", "unreadable");
    EmitParseError(line.status().message(), out);
  } else if (!line->IsObject()) {
    ReportUnknown("line", json::TypeName(line->type()));
    out.EmitRaw(
        "", absl::StrCat("not an object but ", json::TypeName(line->type())));
  } else {
    OnLine(*line, out);
  }
}

void LineProtocol::OnWritten(const Record& record, MessageSink sink) {
  if (!record.key.empty()) Written(record.key);
  OnWrittenLine(record, sink);
}

void LineProtocol::OnWrittenLine(const Record&, MessageSink) {}

void LineProtocol::OnLongLine(json::Value, Emitter&) {}

void LineProtocol::OnTurnAsked(const TurnAsked& turn, Emitter& out) {
  if (!EchoesPrompt()) {
    out.Emit(UserInput{turn.prompt, static_cast<int>(turn.images.size())});
  }
  Want({.key = PromptKey(turn.turn), .bytes = turn.prompt});
  Want({.key = absl::StrCat("turn-", turn.turn, ".end"),
        .kind = Outgoing::Kind::kClose});
}

void LineProtocol::OnInterruptAsked(Emitter&) {}

void LineProtocol::OnAnswerGiven(const AnswerGiven&, Emitter&) {}

bool LineProtocol::HasRoom() const {
  size_t bytes = 0;
  for (const Outgoing& wanted : outbox_) bytes += wanted.bytes.size();
  return outbox_.size() < kMaxWanted && bytes < kMaxWantedBytes;
}

void LineProtocol::Written(absl::string_view key) {
  outbox_.erase(std::remove_if(outbox_.begin(), outbox_.end(),
                               [&](const Outgoing& o) { return o.key == key; }),
                outbox_.end());
}

void LineProtocol::OnNote(const Record& record, const Note& note,
                          MessageSink sink) {
  Emitter out(record, sink);
  if (const auto* ended = std::get_if<ProcessEnded>(&note)) {
    outbox_.clear();
    OnEnd(EndResult(*ended), out);
  } else if (const auto* turn = std::get_if<TurnAsked>(&note)) {
    OnTurnAsked(*turn, out);
  } else if (std::holds_alternative<InterruptAsked>(note)) {
    OnInterruptAsked(out);
  } else if (const auto* answer = std::get_if<AnswerGiven>(&note)) {
    OnAnswerGiven(*answer, out);
  } else if (std::holds_alternative<InputClosed>(note)) {
    outbox_.clear();
  }
}

Continuation LineProtocol::continuation() const {
  Continuation next;
  next.generation = generation_ + 1;
  next.session_id = session_id_;
  meter_.WriteTo(&next);
  return next;
}

Result LineProtocol::EndResult(const ProcessEnded& ended) const {
  Result result = ResultOfEnd(ended);
  // A recorded stream does not say how its process ended; we assume cleanly.
  const bool clean =
      ended.reason.empty() && !ended.signal && ended.exit_code.value_or(0) == 0;
  if (clean && EndsWithoutResult()) {
    result.is_error = false;
    result.error.clear();
  }
  return result;
}

void LineProtocol::NextGeneration() { ledger_.set_generation(++generation_); }

Result ResultOfEnd(const ProcessEnded& ended) {
  Result result;
  result.is_error = true;
  result.synthetic = true;
  if (!ended.reason.empty()) {
    result.error = ended.reason;
  } else if (ended.signal) {
    result.error = absl::StrCat("killed by signal ", *ended.signal);
  } else if (ended.exit_code) {
    result.error =
        absl::StrCat("exited with code ", *ended.exit_code, " and no result");
  } else {
    result.error = "the stream ended without a result";
  }
  return result;
}

}  // namespace troika
