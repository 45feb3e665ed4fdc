// How turns and processes end.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "agent/line_protocol.h"
#include "task/replay.h"

namespace troika {
namespace {

std::string WithReason(absl::string_view what, absl::string_view reason) {
  return reason.empty() ? std::string(what) : absl::StrCat(what, ": ", reason);
}

std::string ExitText(const notes::Exited& note) {
  std::string text = "ended";
  if (note.signal) {
    text = absl::StrCat("killed by signal ", *note.signal);
  } else if (note.code) {
    text = absl::StrCat("exited with code ", *note.code);
  }
  text = WithReason(text, note.reason);
  if (note.discarded_bytes > 0) {
    absl::StrAppend(&text, "; ", note.discarded_bytes,
                    " bytes of its output were not recorded");
  }
  return text;
}

}  // namespace

void Replay::OnNote(const notes::StartFailed& note, Out& out) {
  Lifecycle event = {
      .kind = Lifecycle::Kind::kStartFailed,
      .generation = note.generation,
      .text = WithReason("the agent could not be started", note.error)};
  EndProcess({.reason = event.text}, out);
  HoldQueue("");
  Emit(std::move(event), out);
}

void Replay::OnNote(const notes::Interrupt& note, Out& out) {
  HoldQueue(note.by);
  OnEndAsked({.kind = Lifecycle::Kind::kInterruptAsked,
              .by = note.by,
              .text = note.reason},
             out);
  NotifyProtocol(InterruptAsked{}, out);
  if (process_ && !process_->owes_result) WithdrawUndelivered(note, out);
}

void Replay::OnNote(const notes::Stop& note, Out& out) {
  HoldQueue(note.by);
  OnEndAsked(
      {.kind = Lifecycle::Kind::kStopAsked, .by = note.by, .text = note.reason},
      out);
}

void Replay::OnNote(const notes::Deadline& note, Out& out) {
  std::string text = absl::StrCat("the ", note.which, " deadline of ",
                                  absl::FormatDuration(note.after), " passed");
  if (!note.tool.empty()) {
    absl::StrAppend(&text, ": the tool ", note.tool, " took longer");
  }
  OnEndAsked({.kind = Lifecycle::Kind::kDeadline,
              .by = "deadline",
              .text = absl::StrCat(text, " (timeout)")},
             out);
}

void Replay::OnEndAsked(Lifecycle asked, Out& out) {
  const bool failure = asked.kind == Lifecycle::Kind::kDeadline;
  EmitStep(std::move(asked), out);
  DropHeldTurns(state_.ending.text,
                failure ? Receipt::State::kFailed : Receipt::State::kWithdrawn,
                out);
}

void Replay::OnNote(const notes::Cancelled& note, Out& out) {
  Emit(Lifecycle{.kind = Lifecycle::Kind::kCancelled,
                 .by = note.by,
                 .text = note.reason},
       out);
  if (process_) return;
  const std::string why = WithReason("cancelled", note.reason);
  DropHeldTurns(why, Receipt::State::kWithdrawn, out);
  WithdrawQueue(why, out);
}

void Replay::OnNote(const notes::Signalled& note, Out& out) {
  EmitStep({.kind = Lifecycle::Kind::kSignalled,
            .by = note.by,
            .signal = note.signal},
           out);
}

void Replay::OnNote(const notes::Exited& note, Out& out) {
  const std::string text = ExitText(note);
  ProcessEnded ended = {.exit_code = note.code, .signal = note.signal};
  if (state_.ending.kind != Ending::Kind::kNone) {
    ended.reason = state_.ending.text;
  } else if (!note.reason.empty() || note.code.value_or(0) != 0) {
    ended.reason = text;
  }
  // The relay's excerpt serves if the log has no stderr.
  if (process_ && process_->stderr_tail.text().empty()) {
    for (const absl::string_view line :
         absl::StrSplit(note.stderr_tail, '\n')) {
      process_->stderr_tail.Add(line);
    }
  }
  EndProcess(ended, out);
  EmitStep({.kind = Lifecycle::Kind::kExited,
            .text = text,
            .exit_code = note.code,
            .signal = note.signal},
           out);
}

void Replay::OnNote(const notes::ImportEnded& note, Out& out) {
  if (!process_ || state_.imported_from.empty()) {
    return EmitError("the log has the end of an import that it lacks", out);
  }
  const std::string text =
      absl::StrCat("the session's file ended after ", note.lines, " lines");
  EndProcess({.exit_code = 0}, out);
  EmitStep({.kind = Lifecycle::Kind::kExited, .text = text}, out);
}

void Replay::OnNote(const notes::Lost& note, Out& out) {
  // Whoever found that it is lost has another clock; it worked at least up to
  // its last record.
  state_.awake.now = awake_before_;
  Lifecycle event = {
      .kind = Lifecycle::Kind::kLost,
      .generation = state_.generation,
      .text = WithReason("the agent's process was lost", note.reason)};
  EndProcess({.reason = event.text}, out);
  Emit(std::move(event), out);
}

void Replay::EndProcess(const ProcessEnded& ended, Out& out) {
  AbandonLines(out);
  if (!process_) {
    return DropHeldTurns(ended.reason, Receipt::State::kFailed, out);
  }
  const bool exited = ended.exit_code || ended.signal;
  state_.stderr_tail = process_->stderr_tail.Excerpt();
  if (exited && state_.ending.kind == Ending::Kind::kNone) {
    excerpt_ = process_->stderr_tail.Excerpt();
  }
  NotifyProtocol(ended, out);
  CancelPending(out);
  for (const OwedReason& owed : std::exchange(state_.owed_reasons, {})) {
    EmitError(absl::StrCat("the agent ended before it was told why ",
                           owed.approval, " was denied"),
              out);
  }
  const bool owes_before = process_->owed_before && process_->owes_result;
  if (TakeBackUndelivered(ended, out)) process_->owes_result = owes_before;
  if (process_->owes_result) EmitResult(ended, out);
  if (process_->protocol) continuation_ = process_->protocol->continuation();
  if (state_.session_mismatch) continuation_.session_id = state_.session_id;
  process_.reset();
  excerpt_.clear();
}

void Replay::CancelPending(Out& out) {
  constexpr absl::string_view kWhy = "the process ended";
  const auto approvals = state_.approvals;
  for (const auto& [id, pending] : approvals) {
    if (pending.request.kind == Approval::Kind::kBudget) continue;
    Emit(Approval{.id = id,
                  .state = Approval::State::kCancelled,
                  .tool_use_id = pending.request.tool_use_id,
                  .tool_name = pending.request.tool_name,
                  .reason = std::string(kWhy),
                  .kind = pending.request.kind},
         out);
  }
  const auto questions = state_.questions;
  for (const auto& [id, pending] : questions) {
    Question question = pending.request;
    question.state = Question::State::kCancelled;
    question.delivery = Delivery::kUnanswered;
    Emit(std::move(question), out);
  }
}

void Replay::DropHeldTurns(absl::string_view why, Receipt::State inputs,
                           Out& out) {
  const std::vector<TurnAsked> dropped = std::exchange(held_turns_, {});
  const bool owes_result = process_ && process_->owes_result;
  Denials of_process = std::exchange(denials_, {});
  for (const TurnAsked& turn : dropped) {
    EndInputOfTurn(turn.turn, {.state = inputs, .reason = std::string(why)},
                   out);
    EmitResult({.reason = std::string(why)}, out);
  }
  if (process_) process_->owes_result = owes_result;
  denials_ = std::move(of_process);
}

void Replay::EmitResult(const ProcessEnded& ended, Out& out) {
  Result result = ResultOfEnd(ended);
  const Continuation so_far = process_ && process_->protocol
                                  ? process_->protocol->continuation()
                                  : continuation_;
  result.usage.total = so_far.total;
  result.usage.total_cost = so_far.total_cost;
  Emit(std::move(result), out);
}

}  // namespace troika
