#include "task/replay.h"

#include <map>
#include <type_traits>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "agent/ability_range.h"
#include "base/json.h"
#include "task/answer.h"
#include "task/approval_rules.h"
#include "task/budget.h"
#include "task/reduce.h"

namespace troika {
namespace {

constexpr absl::string_view kByteOrderMark = "\xEF\xBB\xBF";
// Damage comes after whatever the record before it brought.
constexpr int32_t kDamageIndex = 1 << 30;

// A line that no protocol reads, and that may hold secrets.
Raw RawOf(absl::string_view type, const Record& line,
          absl::string_view reason) {
  return {.type = std::string(type),
          .reason = std::string(reason),
          .offset = line.offset,
          .size = line.size};
}

Raw PrintedLine(absl::string_view type, const Record& line,
                absl::string_view reason) {
  Raw raw = RawOf(type, line, reason);
  if (line.size <= kMaxLineBytes) raw.line = std::string(line.bytes);
  return raw;
}

constexpr absl::string_view kAskAgain =
    "My answer came too late. Please try again what you asked me for.";

std::string LateNotice(const Settled& answer, absl::string_view why) {
  return absl::StrCat("the answer to ", answer.id, " (", answer.choice, ", by ",
                      answer.by, ") came too late: ", why);
}

}  // namespace

void Replay::OnRecord(const relay::LogRecord& log_record, MessageSink sink) {
  state_.last_record = log_record.number;
  const absl::Time time = absl::FromUnixMicros(log_record.micros);
  awake_before_ = state_.awake.now;
  state_.awake.now = time - state_.awake.leaps;
  const bool printed = log_record.stream == relay::Stream::kStdout ||
                       log_record.stream == relay::Stream::kStderr;
  if (printed) {
    state_.last_activity = time;
    state_.awake.last_activity = state_.awake.now;
  }
  if (log_record.stream == relay::Stream::kStdout) {
    const int newline = log_record.end == relay::LineEnd::kNewline ? 1 : 0;
    state_.output_bytes +=
        static_cast<int64_t>(log_record.payload.size()) + newline;
  }
  const std::optional<Record> line =
      joiners_[static_cast<size_t>(log_record.stream)].Add(log_record);
  if (!line) return;
  Out out = {.first = {line->number, 0}, .time = time, .sink = sink};
  if (printed && line->size <= kMaxLineBytes &&
      (log_record.lines_after > 0 || !run_.empty())) {
    OnBatchLine(log_record, *line, out);
  } else {
    EndRun(sink);
    OnLine(log_record.stream, *line, log_record.payload, out);
  }
  UpdateWaiting();
}

void Replay::UpdateWaiting() {
  const absl::string_view waiting_for =
      process_ && process_->protocol ? process_->protocol->waiting_for() : "";
  if (state_.waiting_for == waiting_for) return;
  state_.waiting_for = std::string(waiting_for);
  state_.awake.waiting_since.reset();
  if (!waiting_for.empty()) state_.awake.waiting_since = state_.awake.now;
}

void Replay::OnLine(relay::Stream stream, const Record& line,
                    absl::string_view last, Out& out) {
  switch (stream) {
    case relay::Stream::kStdout:
      return OnStdout(line, out);
    case relay::Stream::kStderr:
      return OnStderr(line, out);
    case relay::Stream::kStdin:
      return OnStdin(line, out);
    case relay::Stream::kNote:
      return OnNoteLine(line, last, out);
  }
}

void Replay::OnBatchLine(const relay::LogRecord& log_record, Record line,
                         Out& out) {
  const relay::Stream stream = log_record.stream;
  if (stream != run_.stream()) EndRun(out.sink);
  const bool blank = absl::StripAsciiWhitespace(line.bytes).empty();
  if (stream == relay::Stream::kStderr) {
    if (process_) process_->stderr_tail.Add(line.bytes);
    if (blank) {
      run_.AddBlank(line);
    } else {
      run_.Add(stream, line, PrintedLine("stderr", line, ""), "");
    }
  } else if (blank) {
    run_.AddBlank(line);
  } else if (process_ && process_->protocol) {
    OnBatchStdout(line, out);
  } else {
    Raw raw = UnclaimedStdout(line);
    const std::string reason = raw.reason;
    run_.Add(stream, line, std::move(raw), reason);
  }
  if (log_record.lines_after == 0) EndRun(out.sink);
}

void Replay::OnBatchStdout(Record line, Out& out) {
  constexpr absl::string_view kReason = "lines that are no JSON objects";
  OnPrinted(&line);
  Protocol& protocol = *process_->protocol;
  if (run_.is_long() && protocol.IsNoise(line)) {
    run_.Add(relay::Stream::kStdout, line, std::nullopt, kReason);
    return;
  }
  std::optional<Payload> noise;
  protocol.OnReceived(line, [&](Message&& message) {
    const auto* const raw = std::get_if<Raw>(&message.payload);
    if (std::holds_alternative<ParseError>(message.payload) ||
        (raw != nullptr && raw->type.empty())) {
      noise = std::move(message.payload);
      return;
    }
    EndRun(out.sink);
    Deliver(std::move(message), out);
  });
  if (noise) {
    run_.Add(relay::Stream::kStdout, line, *std::move(noise), kReason);
  } else {
    EndRun(out.sink);
  }
}

void Replay::EndRun(MessageSink sink) {
  if (run_.empty()) return;
  const std::optional<absl::Time> time = run_.time();
  for (LineRun::Told& told : run_.Take()) {
    Out out = {.first = {told.record, 0}, .time = time, .sink = sink};
    Emit(std::move(told.payload), out);
  }
}

void Replay::OnDamage(const relay::Damage& damage, MessageSink sink) {
  EndRun(sink);
  Out out = {.first = {damage.after_record, kDamageIndex},
             .time = std::nullopt,
             .sink = sink};
  Emit(ParseError{.error =
                      absl::StrCat("the log is damaged here: ", damage.what),
                  .snippet = json::ToValidUtf8(damage.snippet),
                  .offset = damage.offset,
                  .size = damage.bytes},
       out);
  // The missing record may have ended a line, or been a part of it.
  AbandonLines(out);
}

const std::vector<Outgoing>& Replay::outbox() const {
  static const auto* const kNone = new std::vector<Outgoing>;
  const bool talks = process_ && process_->protocol;
  return talks ? process_->protocol->outbox() : *kNone;
}

Raw Replay::UnclaimedStdout(const Record& line) const {
  return PrintedLine("stdout", line,
                     process_ ? "the task's harness is not known"
                              : "the log tells of no process that printed it");
}

void Replay::OnPrinted(Record* line) {
  if (!std::exchange(process_->printed, true)) {
    absl::ConsumePrefix(&line->bytes, kByteOrderMark);
  }
}

void Replay::OnStdout(Record line, Out& out) {
  if (!process_ || !process_->protocol) {
    Emit(UnclaimedStdout(line), out);
    return;
  }
  OnPrinted(&line);
  process_->protocol->OnReceived(
      line, [&](Message&& m) { Deliver(std::move(m), out); });
}

void Replay::OnStderr(const Record& line, Out& out) {
  if (process_) process_->stderr_tail.Add(line.bytes);
  if (absl::StripAsciiWhitespace(line.bytes).empty()) return;
  Emit(PrintedLine("stderr", line, ""), out);
}

void Replay::OnStdin(const Record& line, Out& out) {
  if (!process_ || !process_->protocol) {
    Emit(RawOf("stdin", line, "the log tells of no process that could read it"),
         out);
    return;
  }
  process_->protocol->OnWritten(
      line, [&](Message&& m) { Deliver(std::move(m), out); });
  OnPromptWritten(line.key, out);
}

void Replay::OnNoteLine(const Record& line, absl::string_view last, Out& out) {
  absl::StatusOr<notes::Note> note =
      line.size > kMaxLineBytes
          ? absl::ResourceExhaustedError(
                absl::StrCat("a note of ", line.size, " bytes, over the limit"))
          : notes::FromJson(line.bytes);
  if (!note.ok()) {
    Emit(ParseError{.error = absl::StrCat("a note can't be read: ",
                                          note.status().message()),
                    .offset = line.offset,
                    .size = line.size},
         out);
    // A writer that died within a long note leaves its start before the note of
    // the next one, which may tell that death.
    if (last.size() == line.bytes.size()) return;
    note = notes::FromJson(last);
    if (!note.ok()) return;
  }
  std::visit(
      [&]<typename N>(const N& n) {
        if constexpr (std::is_same_v<N, notes::Unknown>) {
          Emit(RawOf(absl::StrCat("note/", n.name), line,
                     "a note of another version of Troika"),
               out);
        } else {
          OnNote(n, out);
        }
      },
      *note);
}

void Replay::AbandonLines(Out& out) {
  for (const relay::Stream stream :
       {relay::Stream::kStdout, relay::Stream::kStderr, relay::Stream::kStdin,
        relay::Stream::kNote}) {
    const std::optional<Record> line =
        joiners_[static_cast<size_t>(stream)].Abandon(out.first.record,
                                                      out.time);
    if (line) OnLine(stream, *line, line->bytes, out);
  }
}

void Replay::Emit(Payload payload, Out& out) {
  Deliver({.time = out.time, .payload = std::move(payload)}, out);
}

void Replay::EmitError(std::string text, Out& out) {
  Emit(Notice{.kind = Notice::Kind::kError, .text = std::move(text)}, out);
}

void Replay::EmitStep(Lifecycle step, Out& out) {
  step.generation = state_.generation;
  Emit(std::move(step), out);
}

void Replay::Deliver(Message&& message, Out& out) {
  const EventId next = {last_id_.record, last_id_.index + 1};
  message.id = last_id_ < out.first ? out.first : next;
  last_id_ = message.id;
  const bool main = message.parent_tool_use_id.empty();
  bool answered = false;
  std::string failure;
  std::string session_id;
  std::string late;
  bool bypass = false;
  bool no_cost = false;
  denials_.Add(message);
  if (auto* result = std::get_if<Result>(&message.payload)) {
    CompleteResult(result);
    if (main) denials_.MoveTo(result);
    answered = main && !result->synthetic;
    if (answered && result->is_error) failure = result->error;
    no_cost = answered && state_.budget.limits.cost_microusd &&
              result->usage.total_cost.source == CostSource::kNone;
    if (main && process_) {
      process_->owes_result = false;
      process_->tool_hint = "";
      process_->late_hint.clear();
    }
  } else if (const auto* tool = std::get_if<ToolResult>(&message.payload)) {
    if (process_ && process_->tool_hint.empty()) {
      process_->tool_hint = HintForTool(tool->output);
    }
  } else if (const auto* notice = std::get_if<Notice>(&message.payload)) {
    const bool error = notice->kind == Notice::Kind::kError ||
                       notice->kind == Notice::Kind::kRetrying;
    if (error && process_) process_->last_error = notice->text;
  } else if (const auto* init = std::get_if<Init>(&message.payload)) {
    if (main) session_id = init->session_id;
    bypass = main && state_.edit_mode == EditMode::kNative && backend_ &&
             init->permission_mode != state_.permission_mode &&
             ReportsBypass(*backend_, init->permission_mode);
  } else if (auto* approval = std::get_if<Approval>(&message.payload)) {
    CompleteAnswer(state_.approvals, approval);
    if (approval->state == Approval::State::kAsked) {
      approval->proposed_rules = ProposedRules(*approval, state_.cwd);
    }
    late = approval->delivery == Delivery::kLate
               ? LateNotice(SettledOf(*approval), approval->reason)
               : "";
  } else if (auto* question = std::get_if<Question>(&message.payload)) {
    CompleteAnswer(state_.questions, question);
    late = question->delivery == Delivery::kLate
               ? LateNotice(SettledOf(*question), "the agent asks no more")
               : "";
  }
  Reduce(message, &state_);
  out.sink(std::move(message));
  if (!late.empty()) EmitError(std::move(late), out);
  if (bypass) {
    Emit(Notice{.kind = Notice::Kind::kConfigWarning,
                .text = absl::StrCat("native: the CLI's own configuration (",
                                     state_.permission_mode,
                                     ") lets the agent do everything without "
                                     "asking, and without a sandbox")},
         out);
  }
  if (no_cost && !std::exchange(state_.budget.told_no_cost, true)) {
    Emit(Notice{.kind = Notice::Kind::kConfigWarning,
                .text = "the agent tells no cost, so the limit of its cost "
                        "can't be checked: use a limit of tokens or time"},
         out);
  }
  if (!session_id.empty()) CheckSession(session_id, out);
  if (answered && process_ && !process_->has_prompt &&
      !process_->undelivered.empty()) {
    OnAnsweredUnwritten(failure, out);
  }
}

template <typename T>
void Replay::CompleteAnswer(const std::map<std::string, Pending<T>>& pending,
                            T* request) {
  if (request->state == T::State::kAsked ||
      request->delivery == Delivery::kAccepted) {
    return;
  }
  if constexpr (std::is_same_v<T, Approval>) {
    // These are empty once it is decided.
    request->paths.clear();
    request->proposed_rules.clear();
    request->exact = false;
  }
  const bool cancelled = request->state == T::State::kCancelled;
  const auto it = pending.find(request->id);
  const bool answered = it != pending.end() && it->second.answered;
  if (!answered) {
    // A protocol may decide by itself.
    request->delivery =
        cancelled ? Delivery::kUnanswered : Delivery::kDelivered;
    return;
  }
  const T& given = it->second.request;
  request->by = given.by;
  request->via = given.via;
  request->user = given.user;
  request->client = given.client;
  if constexpr (std::is_same_v<T, Approval>) {
    request->kind = given.kind;
    if (given.by == kByRule) request->rules = given.rules;
    request->always = given.always;
    if (request->choice.empty()) request->choice = given.choice;
  }
  // A question that was declined on the wire is cancelled, too, and the
  // protocol says that it was delivered.
  if (!cancelled || request->delivery == Delivery::kDelivered) {
    request->delivery = Delivery::kDelivered;
    return;
  }
  request->delivery = Delivery::kLate;
  if (process_) {
    process_->late_hint = absl::StrCat(
        "the agent ended before it got an answer: have it asked again with "
        "troika send ",
        state_.task, " \"", kAskAgain, "\"");
  }
}

void Replay::CompleteResult(Result* result) const {
  if (state_.ending.kind == Ending::Kind::kInterrupt) return;
  if (result->is_error && result->synthetic && !excerpt_.empty()) {
    const bool one_line = excerpt_.find('\n') == std::string::npos;
    absl::StrAppend(&result->error, one_line ? ": " : ":\n", excerpt_);
  }
  if (result->hint.empty()) result->hint = std::string(HintOf(*result));
}

absl::string_view Replay::HintOf(const Result& result) const {
  absl::string_view hint = result.is_error ? HintFor(result.error) : "";
  if (!hint.empty() || !process_) return hint;
  if (result.is_error) hint = HintFor(process_->last_error);
  if (hint.empty()) hint = process_->tool_hint;
  if (!hint.empty()) return hint;
  const absl::string_view said = process_->stderr_tail.text();
  hint = result.is_error ? HintFor(said) : HintForTool(said);
  // An agent that lives can ask again by itself.
  const bool late = hint.empty() && result.is_error && result.synthetic;
  return late ? process_->late_hint : hint;
}

void Replay::CheckSession(const std::string& session_id, Out& out) {
  if (!process_ || process_->expected_session.empty() ||
      process_->expected_session == session_id || state_.session_mismatch) {
    return;
  }
  state_.session_mismatch = true;
  // The next process is to go on with the conversation that was asked for.
  state_.session_id = process_->expected_session;
  EmitError(absl::StrCat("the agent is in the session ", session_id, ", and ",
                         process_->expected_session, " was asked for"),
            out);
}

void Replay::NotifyProtocol(const Note& note, Out& out) {
  if (!process_ || !process_->protocol) return;
  process_->protocol->OnNote({.number = out.first.record, .time = out.time},
                             note,
                             [&](Message&& m) { Deliver(std::move(m), out); });
}

}  // namespace troika
