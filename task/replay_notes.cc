#include <algorithm>
#include <map>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "agent/line_protocol.h"
#include "agent/registry.h"
#include "task/answer.h"
#include "task/reduce.h"
#include "task/replay.h"

namespace troika {
namespace {

// Values of notes::Spawned::stdin_mode.
constexpr absl::string_view kStdinPrompt = "prompt";
constexpr absl::string_view kStdinNull = "null";

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

// Options that can't be read start no process, so they leave nothing here.
void SetOptions(const notes::Request& request, TaskState* state) {
  if (!request.options_error.ok()) return;
  const LaunchOptions& options = request.options;
  state->asked_model = options.model;
  const bool native = !options.approval_policy.empty() ||
                      !options.sandbox.empty() || options.dangerously_bypass;
  state->edit_mode = options.edit_mode;
  if (!native && !state->edit_mode) state->edit_mode = EditMode::kResearch;
}

}  // namespace

void Replay::OnNote(const notes::Request& note, Out& out) {
  if (request_) {
    return EmitError("the log has a second request, which is passed over", out);
  }
  request_ = note;
  state_.task = note.task;
  state_.harness = HarnessFromId(note.harness);
  state_.cwd = note.cwd;
  state_.title = note.title;
  state_.labels = note.labels;
  state_.parent = note.parent;
  state_.fork = note.fork;
  SetOptions(note, &state_);
  state_.timeouts = note.timeouts;
  continuation_.session_id = note.resume_session;
  continuation_.total_known = note.resume_session.empty();
  Emit(Lifecycle{.kind = Lifecycle::Kind::kCreated, .text = note.title}, out);
  const absl::StatusOr<const Backend*> backend = BackendById(note.harness);
  if (backend.ok()) {
    backend_ = *backend;
    capabilities_ = backend_->capabilities(Cli{});
  } else {
    EmitError(std::string(backend.status().message()), out);
  }
}

void Replay::OnNote(const notes::Turn& asked_note, Out& out) {
  std::optional<notes::Turn> queued;
  if (asked_note.from_queue) {
    queued = TakeQueued(asked_note);
    if (!queued) {
      // The number is used up: the relay takes its key once.
      if (asked_note.turn == state_.turns + 1) ++state_.turns;
      return EmitError(absl::StrCat("the input ", asked_note.input,
                                    " does not wait to be sent"),
                       out);
    }
  }
  const notes::Turn& note = queued ? *queued : asked_note;
  state_.queue_held = false;
  // A process that takes one prompt only, and has it, leaves the turn to the
  // next process.
  const bool taken = process_ && !state_.input_closed &&
                     (!process_->had_turn || capabilities_.follow_up);
  const int turn = note.turn > 0 ? note.turn : state_.turns + 1;
  const bool other_model =
      !note.model.empty() && note.model != state_.asked_model;
  const auto owed = std::find_if(
      state_.owed_reasons.begin(), state_.owed_reasons.end(),
      [&](const OwedReason& one) { return one.key == note.request_key; });
  if (owed != state_.owed_reasons.end()) {
    state_.owed_reasons.erase(owed);
  } else {
    state_.last_request_key = note.request_key;
  }
  if (!note.model.empty()) state_.asked_model = note.model;
  if (note.edit_mode) state_.edit_mode = note.edit_mode;
  notes::MergeTimeouts(note.timeouts, &state_.timeouts);
  Emit(Lifecycle{.kind = Lifecycle::Kind::kTurnAsked,
                 .generation = taken ? process_->generation : 0,
                 .turn = turn,
                 .by = note.by},
       out);
  EmitInputOfTurn(note, turn, out);
  TurnAsked asked = {
      .turn = turn, .prompt = note.prompt, .images = note.images};
  if (taken) {
    // The next process is started with its model.
    if (other_model && capabilities_.set_model) asked.model = note.model;
    GiveTurn(asked, out);
  } else {
    held_turns_.push_back(std::move(asked));
  }
}

void Replay::GiveTurn(const TurnAsked& turn, Out& out) {
  process_->had_turn = true;
  if (process_->undelivered.empty()) {
    process_->owed_before = process_->owes_result;
  }
  process_->undelivered.push_back(turn);
  process_->owes_result = true;
  NotifyProtocol(turn, out);
}

std::unique_ptr<Protocol> Replay::NewProtocol(
    const notes::Spawned& spawned) const {
  ProtocolOptions options = {.continuation = continuation_,
                             .version = spawned.version,
                             .wire = spawned.wire,
                             .setup_json = spawned.setup_json};
  // Never one that was there before, whatever the note says.
  options.continuation.generation =
      std::max(continuation_.generation, spawned.generation);
  if (spawned.stdin_mode == kStdinPrompt) {
    options.input = ProtocolOptions::Input::kPrompt;
  }
  return backend_->NewProtocol(options);
}

std::vector<Outgoing> Replay::FirstInput(const notes::Spawned& spawned) const {
  if (!backend_ || held_turns_.empty()) return {};
  const std::unique_ptr<Protocol> protocol = NewProtocol(spawned);
  protocol->OnNote({}, held_turns_.front(), [](Message&&) {});
  return protocol->outbox();
}

void Replay::OnNote(const notes::Spawned& note, Out& out) {
  if (process_) {
    // This record is of another relay, whose clock is another one.
    state_.awake.now = awake_before_;
    EndProcess({.reason = "another process was started, and how this one "
                          "ended is not in the log"},
               out);
    StopWork(&state_);
  }
  state_.awake.leaps = absl::ZeroDuration();
  state_.awake.now = out.time;
  Process process;
  process.generation = std::max(1, note.generation);
  process.expected_session = note.expected_session;
  if (backend_) {
    process.protocol = NewProtocol(note);
    const Cli cli = {.version = note.version};
    capabilities_ =
        note.wire ? backend_->wire_capabilities(cli, *note.wire)
                  : backend_->wire_capabilities(cli, backend_->first_wire);
    // The help of a newer version than we know may have said so.
    if (note.stdin_mode == kStdinPrompt) {
      capabilities_ = WithoutConversation(capabilities_);
    }
  }
  process_ = std::move(process);
  state_.session_mismatch = false;
  if (!note.version.empty()) state_.version = note.version;
  const std::string harness(state_.harness ? HarnessId(*state_.harness)
                                           : "agent");
  Emit(Lifecycle{.kind = Lifecycle::Kind::kSpawned,
                 .generation = process_->generation,
                 .turn = note.turn,
                 .text = note.version.empty()
                             ? harness
                             : absl::StrCat(harness, " ", note.version)},
       out);
  for (const std::string& text : note.notices) {
    Emit(Notice{.kind = Notice::Kind::kConfigWarning, .text = text}, out);
  }
  for (const TurnAsked& turn : std::exchange(held_turns_, {})) {
    GiveTurn(turn, out);
    // Without a stdin, the prompt is on the command line.
    if (note.stdin_mode == kStdinNull) OnDelivered(turn.turn, out);
  }
}

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
}

void Replay::OnNote(const notes::Stop& note, Out& out) {
  HoldQueue(note.by);
  OnEndAsked(
      {.kind = Lifecycle::Kind::kStopAsked, .by = note.by, .text = note.reason},
      out);
}

void Replay::OnNote(const notes::Deadline& note, Out& out) {
  OnEndAsked(
      {.kind = Lifecycle::Kind::kDeadline,
       .by = "deadline",
       .text = absl::StrCat("the ", note.which, " deadline of ",
                            absl::FormatDuration(note.after), " passed")},
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

template <typename T>
bool Replay::Accept(const notes::Answer& note,
                    const std::map<std::string, Pending<T>>& pending,
                    Out& out) {
  const auto it = pending.find(note.id);
  if (it == pending.end() || it->second.answered) return false;
  const T asked = it->second.request;
  const T accepted = Accepted(asked, note);
  Emit(accepted, out);
  if constexpr (std::is_same_v<T, Approval>) OweReason(accepted, asked, out);
  return true;
}

void Replay::OweReason(const Approval& denied, const Approval& asked,
                       Out& out) {
  if (denied.state != Approval::State::kDenied || denied.reason.empty() ||
      denied.choice == kCancel || capabilities_.denial_reason) {
    return;
  }
  // Nobody is there, and an agent that asks again would do so for ever.
  if (denied.by == "timeout") return;
  state_.owed_reasons.push_back(
      {.key = absl::StrCat("denial-", out.first.record),
       .approval = denied.id,
       .prompt = DenialPrompt(asked, denied.reason)});
}

void Replay::OnNote(const notes::Answer& note, Out& out) {
  if (std::holds_alternative<std::monostate>(note.answer)) {
    EmitError(
        absl::StrCat("the answer to ", note.id,
                     " says nothing that is known, so it counts as a denial"),
        out);
  }
  if (!Accept(note, state_.approvals, out) &&
      !Accept(note, state_.questions, out)) {
    return Emit(
        Notice{.kind = Notice::Kind::kInfo,
               .text = absl::StrCat("an answer to ", note.id, " by ", note.by,
                                    " is passed over: nothing waits "
                                    "for it")},
        out);
  }
  NotifyProtocol(note, out);
}

void Replay::OnNote(const notes::Signalled& note, Out& out) {
  EmitStep({.kind = Lifecycle::Kind::kSignalled,
            .by = note.by,
            .signal = note.signal},
           out);
}

void Replay::OnNote(const notes::StdinClosed&, Out& out) {
  EmitStep({.kind = Lifecycle::Kind::kInputClosed}, out);
  NotifyProtocol(InputClosed{}, out);
}

void Replay::OnNote(const notes::StdinLost& note, Out& out) {
  EmitError(absl::StrCat(note.bytes,
                         " bytes did not reach the agent: it reads "
                         "no more"),
            out);
}

void Replay::OnNote(const notes::Leftover& note, Out& out) {
  EmitStep({.kind = Lifecycle::Kind::kLeftover,
            .text = absl::StrCat("ended what the agent left behind: ",
                                 absl::StrJoin(note.processes, ", "))},
           out);
}

void Replay::OnNote(const notes::Trouble& note, Out& out) {
  Emit(Lifecycle{.kind = Lifecycle::Kind::kTrouble, .text = note.text}, out);
}

void Replay::OnNote(const notes::Torn& note, Out& out) {
  Emit(Lifecycle{.kind = Lifecycle::Kind::kTrouble,
                 .text = absl::StrCat("the log's last record was cut off; ",
                                      note.bytes, " bytes of it are left")},
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

void Replay::OnNote(const notes::Clock& note, Out& out) {
  state_.awake.leaps += note.leap;
  state_.awake.now = *out.time - state_.awake.leaps;
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
