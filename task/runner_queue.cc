// Inputs that wait for the end of a turn: when they are sent, and how users
// change them.
#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "task/budget.h"
#include "task/inputs.h"
#include "task/runner.h"

namespace troika {
namespace {

TurnRequest RequestOf(const notes::Input& input) {
  return {.prompt = input.prompt,
          .read_images = input.images,
          .by = input.by,
          .model = input.model,
          .edit_mode = input.edit_mode,
          .timeouts = input.timeouts};
}

size_t BytesOf(const notes::Input& input) {
  size_t bytes = input.prompt.size();
  for (const TurnAsked::Image& image : input.images) {
    bytes += image.base64.size();
  }
  return bytes;
}

}  // namespace

absl::Status Runner::CheckQueueLimits(const notes::Input& input) const {
  int count = 0;
  size_t bytes = BytesOf(input);
  for (const TaskInput& other : state().inputs) {
    if (!other.waits()) continue;
    ++count;
    const notes::Input* const queued =
        follower_->replay().queued_input(other.receipt.id);
    if (queued != nullptr) bytes += BytesOf(*queued);
  }
  const std::string remedy = absl::StrCat(
      ": wait until some are sent, or remove some with troika "
      "queue ",
      folder_.id, " --remove ID");
  if (count >= kMaxQueuedInputs) {
    return absl::ResourceExhaustedError(
        absl::StrCat(kMaxQueuedInputs, " inputs wait already", remedy));
  }
  if (bytes > kMaxQueuedBytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the inputs that wait would have over ",
                     kMaxQueuedBytes >> 20, " MiB together", remedy));
  }
  return absl::OkStatus();
}

absl::Status Runner::QueueInput(const TurnRequest& turn, std::string id) {
  RETURN_IF_ERROR(CheckPrompt(turn.prompt));
  RETURN_IF_ERROR(CheckNextProcess(turn));
  ASSIGN_OR_RETURN(auto images, ImagesOf(turn));
  notes::Input note = {.id = std::move(id),
                       .prompt = turn.prompt,
                       .images = std::move(images),
                       .by = turn.by,
                       .request_key = turn.request_key,
                       .interrupts = turn.mode == InputMode::kInterrupt,
                       .model = turn.model,
                       .edit_mode = turn.edit_mode,
                       .timeouts = turn.timeouts,
                       .converses = turn.converses,
                       .budget = turn.budget};
  RETURN_IF_ERROR(CheckQueueLimits(note));
  std::string key = absl::StrCat("input-", note.id);
  return AppendNote(note, std::move(key));
}

absl::StatusOr<const TaskInput*> Runner::WaitingInput(
    absl::string_view id) const {
  const TaskInput* const input = FindInput(state(), id);
  if (input == nullptr) {
    return absl::NotFoundError(
        absl::StrCat("task ", folder_.id, " has no input ", id,
                     ": troika queue ", folder_.id, " lists those that wait"));
  }
  if (input->receipt.state != Receipt::State::kQueued) {
    return absl::FailedPreconditionError(absl::StrCat(
        id, " does not wait any more: see what became of it with troika show ",
        folder_.id));
  }
  if (!input->waits() || id == released_input_) {
    return absl::FailedPreconditionError(absl::StrCat(
        id, " is being sent; troika interrupt ", folder_.id,
        " withdraws a turn that has not started, and ends one that has"));
  }
  return input;
}

absl::Status Runner::EditInput(absl::string_view id, absl::string_view text,
                               absl::string_view by) {
  RETURN_IF_ERROR(CheckReady());
  RETURN_IF_ERROR(CheckDriver());
  RETURN_IF_ERROR(WaitingInput(id).status());
  RETURN_IF_ERROR(CheckPrompt(text));
  notes::Input edited;
  if (const auto* input = follower_->replay().queued_input(std::string(id))) {
    edited = *input;
  }
  const size_t before = BytesOf(edited);
  edited.prompt = std::string(text);
  if (BytesOf(edited) > before && BytesOf(edited) > kMaxQueuedBytes / 2) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "an input that waits can't be made longer than ", kMaxQueuedBytes >> 21,
        " MiB: put the text into a file, and name it"));
  }
  return AppendNote(notes::InputEdited{.id = std::string(id),
                                       .prompt = edited.prompt,
                                       .by = std::string(by)},
                    NextKey("input-edited"));
}

absl::Status Runner::WithdrawInput(absl::string_view id, absl::string_view by,
                                   absl::string_view reason) {
  RETURN_IF_ERROR(CheckReady());
  RETURN_IF_ERROR(CheckDriver());
  RETURN_IF_ERROR(WaitingInput(id).status());
  return AppendNote(notes::InputWithdrawn{.id = std::string(id),
                                          .by = std::string(by),
                                          .reason = std::string(reason)},
                    NextKey("input-withdrawn"));
}

absl::Status Runner::ResumeQueue(absl::string_view by) {
  RETURN_IF_ERROR(CheckReady());
  RETURN_IF_ERROR(CheckDriver());
  const auto& inputs = state().inputs;
  if (std::none_of(inputs.begin(), inputs.end(),
                   [](const TaskInput& input) { return input.waits(); })) {
    return absl::FailedPreconditionError(
        absl::StrCat("no input of task ", folder_.id, " waits"));
  }
  if (!state().queue_held) return absl::OkStatus();
  return AppendNote(notes::QueueResumed{.by = std::string(by)},
                    NextKey("queue-resumed"));
}

absl::Status Runner::SendNextInput() {
  const TaskState& now = state();
  if (OwesGoOn(now)) return SendGoOn();
  const TaskInput* const next = NextInput(now);
  if (next == nullptr || role() == relay::Role::kWatcher) {
    return absl::OkStatus();
  }
  // Everything that was decided so far must be in the log and read: else the
  // same input could be sent twice, or one that was withdrawn.
  if (!settled() || now.last_record < acknowledged_record_ || blocked() ||
      now.turns_waiting > 0) {
    return absl::OkStatus();
  }
  const std::string id = next->receipt.id;
  const notes::Input* const input = follower_->replay().queued_input(id);
  if (input == nullptr) return absl::OkStatus();
  if (now.process_alive) {
    if (now.turn_open && next->receipt.interrupts &&
        now.ending.kind == Ending::Kind::kNone) {
      return SendInterrupt(
          {.by = input->by, .reason = absl::StrCat("for ", id)},
          absl::StrCat("interrupt-for-", id));
    }
    // A process that takes no other prompt, or is being ended, ends soon.
    if (now.turn_open || now.input_closed ||
        now.ending.kind == Ending::Kind::kFailure || now.session_mismatch ||
        !follower_->replay().capabilities().follow_up) {
      return absl::OkStatus();
    }
  }
  ASSIGN_OR_RETURN(const bool held, BudgetHoldsTurn());
  if (held) return absl::OkStatus();
  const TurnRequest turn = RequestOf(*input);
  absl::Status can = CheckWorkLeft(turn);
  if (can.ok()) can = CheckNextProcess(turn);
  if (!can.ok()) {
    return AppendNote(
        notes::InputFailed{.id = id, .reason = std::string(can.message())},
        absl::StrCat("input-failed-", id));
  }
  released_input_ = id;
  return AppendTurn({.by = input->by, .input = id, .from_queue = true}, turn);
}

}  // namespace troika
