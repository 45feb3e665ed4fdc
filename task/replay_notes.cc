#include <algorithm>
#include <map>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "agent/launch/permissions_text.h"
#include "agent/registry.h"
#include "task/answer.h"
#include "task/budget.h"
#include "task/reduce.h"
#include "task/replay.h"

namespace troika {
namespace {

// Values of notes::Spawned::stdin_mode.
constexpr absl::string_view kStdinPrompt = "prompt";
constexpr absl::string_view kStdinNull = "null";

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

// "codex 0.166.0 · gpt-5 · research": what was started, the model if one was
// asked for, and what the agent may do.
std::string SpawnedText(const notes::Spawned& note, const TaskState& state,
                        const notes::Request* /*nullable*/ request) {
  std::string text(state.harness ? HarnessId(*state.harness) : "agent");
  if (!note.version.empty()) absl::StrAppend(&text, " ", note.version);
  if (!state.asked_model.empty()) {
    absl::StrAppend(&text, " · ", state.asked_model);
  }
  if (request == nullptr || !request->options_error.ok()) return text;
  const std::string permissions =
      PermissionsText(request->options, state.edit_mode);
  return absl::StrCat(text, " · ", permissions);
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
  state_.document.wanted = note.document.wanted;
  state_.budget.limits = note.budget;
  state_.budget.has_history = !note.resume_session.empty();
  continuation_.session_id = note.resume_session;
  continuation_.total_known = note.resume_session.empty();
  Emit(Lifecycle{.kind = Lifecycle::Kind::kCreated, .text = note.title}, out);
  for (const std::string& text : note.notices) {
    Emit(Notice{.kind = Notice::Kind::kConfigWarning, .text = text}, out);
  }
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
  } else if (note.by == kByBudget) {
    state_.budget.goes_on = false;
  } else {
    state_.last_request_key = note.request_key;
    state_.rule_reasons.clear();
  }
  if (!note.model.empty()) state_.asked_model = note.model;
  if (note.edit_mode) state_.edit_mode = note.edit_mode;
  state_.converses |= note.converses;
  notes::MergeTimeouts(note.timeouts, &state_.timeouts);
  notes::MergeBudget(note.budget, &state_.budget.limits);
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

std::optional<Outgoing> Replay::PromptLine(const notes::Turn& note) const {
  const bool taken = process_ && process_->protocol && !state_.input_closed &&
                     (!process_->had_turn || capabilities_.follow_up);
  const bool other_model =
      !note.model.empty() && note.model != state_.asked_model;
  if (!taken || other_model || note.from_queue || !outbox().empty()) {
    return std::nullopt;
  }
  return process_->protocol->PromptLine(
      {.turn = note.turn, .prompt = note.prompt, .images = note.images});
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
  process.fallback = note.fallback;
  process.opens_session = !note.setup_json.empty();
  if (backend_) {
    process.protocol = NewProtocol(note);
    state_.wire = note.wire.value_or(backend_->first_wire);
    capabilities_ =
        backend_->wire_capabilities({.version = note.version}, *state_.wire);
    // The help of a newer version than we know may have said so.
    if (note.stdin_mode == kStdinPrompt) {
      capabilities_ = WithoutConversation(capabilities_);
    }
  }
  process_ = std::move(process);
  state_.stderr_tail.clear();
  state_.output_bytes = 0;
  state_.session_mismatch = false;
  if (!note.version.empty()) state_.version = note.version;
  Emit(Lifecycle{.kind = Lifecycle::Kind::kSpawned,
                 .generation = process_->generation,
                 .turn = note.turn,
                 .text = SpawnedText(note, state_,
                                     request_ ? &*request_ : nullptr)},
       out);
  for (const std::string& text : note.notices) {
    Emit(Notice{.kind = Notice::Kind::kConfigWarning, .text = text}, out);
  }
  for (TurnAsked& turn : std::exchange(held_turns_, {})) {
    if (process_->had_turn && !capabilities_.follow_up) {
      EmitStep({.kind = Lifecycle::Kind::kTurnWaits,
                .turn = turn.turn,
                .text = "the process takes one prompt only"},
               out);
      held_turns_.push_back(std::move(turn));
      continue;
    }
    GiveTurn(turn, out);
    // Without a stdin, the prompt is on the command line.
    if (note.stdin_mode == kStdinNull) OnDelivered(turn.turn, out);
  }
}

void Replay::OnNote(const notes::Imported& note, Out& out) {
  // Nothing else begins such a task, and nothing continues it.
  if (process_ || state_.generation > 0 || state_.turns > 0) {
    return EmitError(
        "the log has an import within a task, which is passed over", out);
  }
  state_.imported_from = note.path;
  state_.wire = Wire::kSessionFile;
  state_.awake.now = out.time;
  capabilities_ = {};
  Process process;
  process.generation = 1;
  if (backend_) {
    process.protocol =
        NewProtocol({.generation = 1, .wire = Wire::kSessionFile});
  }
  process_ = std::move(process);
  Emit(Lifecycle{.kind = Lifecycle::Kind::kSpawned,
                 .generation = 1,
                 .by = note.by,
                 .text = absl::StrCat("imported session ", note.session,
                                      " from ", note.path)},
       out);
}

template <typename T>
bool Replay::Accept(const notes::Answer& note,
                    const std::map<std::string, Pending<T>>& pending,
                    Out& out) {
  const auto it = pending.find(note.id);
  if (it == pending.end() || it->second.answered) return false;
  const T asked = it->second.request;
  const T accepted = Accepted(asked, note);
  if (!note.always.empty()) state_.granted_rules.push_back(note.always);
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
  if (denied.by == kByRule) {
    // So it would if rules deny the same again and again.
    if (state_.rule_reasons.size() == kMaxRuleReasons ||
        !state_.rule_reasons.insert(denied.reason).second) {
      return;
    }
  }
  state_.owed_reasons.push_back(
      {.key = absl::StrCat("denial-", out.first.record),
       .approval = denied.id,
       .prompt = DenialPrompt(asked, denied)});
}

void Replay::OnNote(const notes::Answer& note, Out& out) {
  const auto asked = state_.approvals.find(note.id);
  if (asked != state_.approvals.end() &&
      asked->second.request.kind == Approval::Kind::kBudget) {
    return OnBudgetAnswer(note, out);
  }
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

void Replay::OnNote(const notes::PersonAsked& note, Out& out) {
  const auto it = state_.approvals.find(note.id);
  // It may be answered, or withdrawn.
  if (it == state_.approvals.end() || it->second.answered) return;
  Approval asked = it->second.request;
  asked.explanation =
      note.explanation.empty() ? "a rule says so" : note.explanation;
  asked.rules = note.rules;
  it->second.consulted = true;
  Emit(std::move(asked), out);
}

void Replay::OnNote(const notes::BudgetWarned& note, Out& out) {
  if (!state_.budget.warned.insert(BudgetKey(note.amount)).second) return;
  Emit(Notice{.kind = Notice::Kind::kConfigWarning,
              .text = absl::StrCat(UsedText(note.amount),
                                   "; once that is used up, the task asks "
                                   "whether to go on")},
       out);
}

void Replay::OnNote(const notes::BudgetAsked& note, Out& out) {
  // A reply of the relay was lost.
  if (note.number != state_.budget.asked + 1 || AsksForBudget(state_)) return;
  state_.budget.asked = note.number;
  state_.budget.reached = note.reached;
  Emit(BudgetApproval(note), out);
}

void Replay::OnNote(const notes::SubtaskUsed& note, Out&) {
  CountSubtask(note, &state_);
}

void Replay::OnBudgetAnswer(const notes::Answer& note, Out& out) {
  Approval answered = Accepted(state_.approvals.at(note.id).request, note);
  // No agent has to hear it.
  answered.delivery = Delivery::kDelivered;
  const bool allowed = answered.state == Approval::State::kAllowed;
  if (allowed) {
    GrantBudget(&state_);
  } else {
    state_.queue_held = true;
  }
  Emit(std::move(answered), out);
  // A turn that waits for its process is not started.
  if (!allowed && !process_ && state_.turns_waiting > 0) {
    OnNote(notes::Cancelled{.by = note.by, .reason = "its budget is used up"},
           out);
  }
}

void Replay::OnNote(const notes::DocumentWritten& note, Out& out) {
  if (state_.document.settled) return;  // A reply of the relay was lost.
  state_.document.settled = true;
  state_.document.path = note.path;
  state_.document.error = note.error;
  if (note.error.empty()) {
    return Emit(Notice{.kind = Notice::Kind::kInfo,
                       .text = absl::StrCat("saved to: ", note.path)},
                out);
  }
  Emit(Notice{.kind = Notice::Kind::kConfigWarning,
              .text = absl::StrCat("the document could not be written: ",
                                   note.error)},
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

void Replay::OnNote(const notes::Clock& note, Out& out) {
  state_.awake.leaps += note.leap;
  state_.awake.now = *out.time - state_.awake.leaps;
}

}  // namespace troika
