// What becomes of the inputs of a task, from its notes and what was written.
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "task/budget.h"
#include "task/inputs.h"
#include "task/replay.h"

namespace troika {
namespace {

// The turn whose prompt a written line with this key carries, or 0.
int TurnOfPromptKey(absl::string_view key) {
  int turn = 0;
  if (!absl::ConsumePrefix(&key, "turn-") ||
      !absl::ConsumeSuffix(&key, ".prompt")) {
    return 0;
  }
  return absl::SimpleAtoi(key, &turn) ? turn : 0;
}

}  // namespace

void Replay::EmitReceipt(const std::string& id, ReceiptChange change,
                         Out& out) {
  const TaskInput* const input = FindInput(state_, id);
  if (input == nullptr) return;
  Receipt receipt = input->receipt;
  receipt.state = change.state;
  receipt.text = std::move(change.text);
  receipt.reason = std::move(change.reason);
  if (change.turn > 0) receipt.turn = change.turn;
  Emit(std::move(receipt), out);
}

void Replay::SetRequestKey(const std::string& id, const std::string& key) {
  for (TaskInput& input : state_.inputs) {
    if (input.receipt.id == id) input.request_key = key;
  }
}

void Replay::OnNote(const notes::Input& note, Out& out) {
  if (FindInput(state_, note.id) != nullptr) return;
  queued_inputs_[note.id] = note;
  state_.queue_held = false;
  Emit(Receipt{.id = note.id,
               .text = note.prompt,
               .images = static_cast<int>(note.images.size()),
               .by = note.by,
               .interrupts = note.interrupts},
       out);
  SetRequestKey(note.id, note.request_key);
}

void Replay::OnNote(const notes::InputEdited& note, Out& out) {
  const auto it = queued_inputs_.find(note.id);
  if (it == queued_inputs_.end() || it->second.prompt == note.prompt) return;
  it->second.prompt = note.prompt;
  EmitReceipt(note.id, {.text = note.prompt}, out);
}

void Replay::OnNote(const notes::InputWithdrawn& note, Out& out) {
  if (queued_inputs_.erase(note.id) == 0) return;
  EmitReceipt(note.id,
              {.state = Receipt::State::kWithdrawn,
               .reason = absl::StrCat(
                   "withdrawn by ", note.by.empty() ? "user" : note.by,
                   note.reason.empty() ? "" : ": ", note.reason)},
              out);
}

void Replay::OnNote(const notes::InputFailed& note, Out& out) {
  if (queued_inputs_.erase(note.id) == 0) return;
  EmitReceipt(note.id,
              {.state = Receipt::State::kFailed, .reason = note.reason}, out);
}

void Replay::OnNote(const notes::QueueResumed&, Out&) {
  state_.queue_held = false;
}

std::optional<notes::Turn> Replay::TakeQueued(const notes::Turn& release) {
  const auto it = queued_inputs_.find(release.input);
  if (it == queued_inputs_.end()) return std::nullopt;
  notes::Input input = std::move(it->second);
  queued_inputs_.erase(it);
  return notes::Turn{.turn = release.turn,
                     .prompt = std::move(input.prompt),
                     .images = std::move(input.images),
                     .by = std::move(input.by),
                     .request_key = std::move(input.request_key),
                     .input = std::move(input.id),
                     .from_queue = true,
                     .model = std::move(input.model),
                     .edit_mode = input.edit_mode,
                     .timeouts = input.timeouts,
                     .converses = input.converses,
                     .budget = input.budget};
}

void Replay::EmitInputOfTurn(const notes::Turn& note, int turn, Out& out) {
  const std::string id =
      note.input.empty() ? InputId(state_.input_count + 1) : note.input;
  inputs_by_turn_[turn] = id;
  if (note.from_queue) return EmitReceipt(id, {.turn = turn}, out);
  Emit(Receipt{.id = id,
               .text = note.prompt,
               .images = static_cast<int>(note.images.size()),
               .by = note.by,
               .turn = turn},
       out);
  SetRequestKey(id, note.request_key);
}

void Replay::HoldQueue(absl::string_view by) {
  if (by == "troika" || by == "deadline" || by == kByBudget) return;
  // The turn is ended for an input that waits.
  for (const auto& [id, input] : queued_inputs_) {
    if (input.interrupts) return;
  }
  state_.queue_held = true;
}

void Replay::WithdrawQueue(const std::string& why, Out& out) {
  for (const TaskInput& input : std::vector<TaskInput>(state_.inputs)) {
    if (queued_inputs_.erase(input.receipt.id) == 0) continue;
    EmitReceipt(input.receipt.id,
                {.state = Receipt::State::kWithdrawn, .reason = why}, out);
  }
}

void Replay::EndInputOfTurn(int turn, ReceiptChange change, Out& out) {
  const auto it = inputs_by_turn_.find(turn);
  if (it == inputs_by_turn_.end()) return;
  const std::string id = std::move(it->second);
  inputs_by_turn_.erase(it);
  EmitReceipt(id, std::move(change), out);
}

void Replay::OnPromptWritten(absl::string_view key, Out& out) {
  const int turn = TurnOfPromptKey(key);
  if (turn > 0) OnDelivered(turn, out);
}

void Replay::OnDelivered(int turn, Out& out) {
  std::vector<TurnAsked>& undelivered = process_->undelivered;
  if (std::erase_if(undelivered, [&](const TurnAsked& asked) {
        return asked.turn == turn;
      }) == 0) {
    return;
  }
  process_->has_prompt = true;
  EndInputOfTurn(turn, {.state = Receipt::State::kDelivered}, out);
}

void Replay::OnAnsweredUnwritten(const std::string& failure, Out& out) {
  const int turn = process_->undelivered.front().turn;
  // An agent that answers has its prompt, although the log lacks the line.
  if (failure.empty() || !process_->opens_session) {
    return OnDelivered(turn, out);
  }
  // The session could not be opened. Turns that are interrupted are withdrawn.
  if (state_.ending.kind == Ending::Kind::kInterrupt) return;
  process_->undelivered.erase(process_->undelivered.begin());
  EndInputOfTurn(turn, {.state = Receipt::State::kFailed, .reason = failure},
                 out);
}

bool Replay::FallsBack() const {
  const bool opened = process_->has_prompt ||
                      (process_->printed && state_.waiting_for != kHandshake);
  return process_->fallback && !opened &&
         state_.ending.kind != Ending::Kind::kInterrupt;
}

void Replay::WithdrawUndelivered(const notes::Interrupt& note, Out& out) {
  for (const TurnAsked& turn : std::exchange(process_->undelivered, {})) {
    EndInputOfTurn(
        turn.turn,
        {.state = Receipt::State::kWithdrawn,
         .reason = absl::StrCat("interrupted by ", note.by,
                                note.reason.empty() ? "" : ": ", note.reason)},
        out);
  }
}

bool Replay::TakeBackUndelivered(const ProcessEnded& ended, Out& out) {
  std::vector<TurnAsked> turns = std::exchange(process_->undelivered, {});
  if (turns.empty()) return false;
  const bool falls_back = FallsBack();
  if (falls_back) {
    state_.fallback_wire = process_->fallback;
    Emit(Notice{.kind = Notice::Kind::kConfigWarning,
                .text = absl::StrCat(
                    "the agent did not open its ", NameOf(*state_.wire),
                    " wire", ended.reason.empty() ? "" : ": ", ended.reason,
                    "; the task goes on with ", NameOf(*process_->fallback))},
         out);
  }
  // A process that got nothing at all would get nothing the next time, either,
  // unless that has another wire.
  const bool goes_on =
      falls_back ||
      (process_->has_prompt && capabilities_.resume &&
       process_->protocol != nullptr &&
       !process_->protocol->continuation().session_id.empty() &&
       !state_.session_mismatch && state_.ending.kind == Ending::Kind::kNone);
  const bool asked = state_.ending.kind == Ending::Kind::kInterrupt;
  for (TurnAsked& turn : turns) {
    if (goes_on) {
      EmitStep({.kind = Lifecycle::Kind::kTurnWaits,
                .turn = turn.turn,
                .text = "the process ended before it had the prompt"},
               out);
      held_turns_.push_back(std::move(turn));
      continue;
    }
    EndInputOfTurn(
        turn.turn,
        {.state = asked ? Receipt::State::kWithdrawn : Receipt::State::kFailed,
         .reason = ended.reason.empty()
                       ? "the process ended before it was delivered"
                       : ended.reason},
        out);
  }
  return goes_on;
}

}  // namespace troika
