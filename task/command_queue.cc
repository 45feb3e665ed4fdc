#include "task/command_queue.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/status/status.h"

namespace troika {
namespace {

constexpr absl::Duration kTryAgain = absl::Milliseconds(200);

bool OutlivesProcess(const notes::Note& note) {
  return std::holds_alternative<notes::Turn>(note) ||
         std::holds_alternative<notes::Input>(note) ||
         std::holds_alternative<notes::InputEdited>(note) ||
         std::holds_alternative<notes::InputWithdrawn>(note) ||
         std::holds_alternative<notes::InputFailed>(note) ||
         std::holds_alternative<notes::QueueResumed>(note) ||
         std::holds_alternative<notes::DocumentWritten>(note) ||
         std::holds_alternative<notes::BudgetWarned>(note) ||
         std::holds_alternative<notes::BudgetAsked>(note) ||
         std::holds_alternative<notes::SubtaskUsed>(note);
}

}  // namespace

absl::StatusOr<RelayCommand> NoteCommand(const notes::Note& note,
                                         std::string key) {
  RelayCommand command = {.key = std::move(key),
                          .payload = notes::ToJson(note),
                          .is_turn = std::holds_alternative<notes::Turn>(note),
                          .outlives_process = OutlivesProcess(note)};
  if (command.payload.size() <= kMaxLineBytes) return command;
  return absl::InvalidArgumentError(
      "prompt and images are over 16 MiB together: name them by path");
}

RelayCommand CommandFor(const Outgoing& wanted) {
  return {.type = wanted.kind == Outgoing::Kind::kClose
                      ? relay::FrameType::kCloseStdin
                      : relay::FrameType::kWrite,
          .key = wanted.key,
          .payload = wanted.bytes};
}

void CommandQueue::Add(RelayCommand command) {
  if (!known_.insert(command.key).second) return;
  entries_.push_back({.command = std::move(command)});
}

void CommandQueue::AddWanted(const std::vector<Outgoing>& outbox) {
  for (const Outgoing& wanted : outbox) {
    if (!known_.contains(wanted.key)) Add(CommandFor(wanted));
  }
}

void CommandQueue::Send(absl::Time now,
                        absl::FunctionRef<void(const RelayCommand&)> send) {
  bool waits = false;
  for (Entry& entry : entries_) {
    if (entry.sent) continue;
    if (entry.command.type != relay::FrameType::kStop) {
      waits = waits || (entry.not_before && *entry.not_before > now);
      if (waits) continue;
    }
    entry.sent = true;
    send(entry.command);
  }
}

void CommandQueue::OnAnswer(const relay::Reply& answer, absl::Time now) {
  const auto entry =
      std::find_if(entries_.begin(), entries_.end(),
                   [&](const Entry& e) { return e.command.key == answer.key; });
  if (entry == entries_.end()) return;
  if (answer.code == relay::ReplyCode::kExhausted) {
    // The disk is full or the agent reads slowly. Both may pass.
    entry->sent = false;
    entry->not_before = now + kTryAgain;
  } else if (answer.code == relay::ReplyCode::kEnded &&
             entry->command.outlives_process) {
    // Reset hands it out.
    entry->sent = true;
  } else {
    entries_.erase(entry);
  }
}

void CommandQueue::OnDisconnected() {
  for (Entry& entry : entries_) entry.sent = false;
}

std::vector<RelayCommand> CommandQueue::Reset() {
  std::vector<RelayCommand> lasting;
  for (Entry& entry : entries_) {
    if (entry.command.outlives_process) {
      lasting.push_back(std::move(entry.command));
    }
  }
  entries_.clear();
  known_.clear();
  return lasting;
}

bool CommandQueue::HasTurns() const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [](const Entry& e) { return e.command.is_turn; });
}

bool CommandQueue::HasLasting() const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [](const Entry& e) { return e.command.outlives_process; });
}

absl::Time CommandQueue::wake_at() const {
  absl::Time first = absl::InfiniteFuture();
  for (const Entry& entry : entries_) {
    if (!entry.sent && entry.not_before) {
      first = std::min(first, *entry.not_before);
    }
  }
  return first;
}

}  // namespace troika
