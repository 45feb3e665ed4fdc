#include "task/hook_events.h"

#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "task/decisions.h"

namespace troika {
namespace {

using Kind = HookEvent::Kind;

HookEvent Describe(Kind kind, const Message& message, const TaskState& state) {
  return {.kind = kind,
          .id = message.id,
          .time = message.time.value_or(absl::UnixEpoch()),
          .status = state.status,
          .outcome = state.outcome,
          .turn = state.turns - state.turns_waiting,
          .usage = state.usage,
          .cost = {state.cost_usd, state.cost_source}};
}

void AddAsked(const Message& message, HookEvent* event) {
  if (const auto* approval = std::get_if<Approval>(&message.payload)) {
    event->asked = approval->id;
    event->approval = approval->kind;
    event->tool_name = approval->tool_name;
    event->text =
        event->kind == Kind::kBudget ? approval->reason : SubjectOf(*approval);
  } else if (const auto* question = std::get_if<Question>(&message.payload)) {
    event->asked = question->id;
    event->text = SubjectOf(*question);
  }
}

// Whether the message is the one that asked: it is sent again later.
template <typename T>
bool Asks(const Message& message, const T& request,
          const std::map<std::string, Pending<T>>& pending) {
  const auto found = pending.find(request.id);
  return request.state == T::State::kAsked && found != pending.end() &&
         found->second.asked == message.id;
}

Kind ToKind(TurnOutcome outcome) {
  switch (outcome) {
    case TurnOutcome::kDone:
    case TurnOutcome::kDenied:
      return Kind::kDone;
    case TurnOutcome::kFailed:
      return Kind::kFailed;
    case TurnOutcome::kInterrupted:
      return Kind::kInterrupted;
  }
  return Kind::kFailed;
}

}  // namespace

std::optional<Kind> HookEventFinder::EndOf(const Message& message,
                                           const TaskState& state) {
  // A result of a turn that was withdrawn says nothing.
  const bool counts = std::holds_alternative<Result>(message.payload) &&
                      message.parent_tool_use_id.empty() &&
                      state.withdrawn_results == withdrawn_results_ &&
                      state.status != TaskStatus::kCancelled && state.outcome;
  std::optional<Kind> kind;
  if (counts) {
    kind = ToKind(*state.outcome);
  } else if (state.status == status_) {
    return std::nullopt;
  } else if (state.status == TaskStatus::kCancelled) {
    kind = Kind::kCancelled;
  } else if (state.status == TaskStatus::kFailed) {
    kind = Kind::kFailed;
  } else if (state.status == TaskStatus::kInterrupted && !told_) {
    kind = Kind::kInterrupted;
  }
  if (!kind || !IsNewEnd(*kind, message)) return std::nullopt;
  turns_ended_ += !told_ || std::holds_alternative<Result>(message.payload);
  told_ = kind;
  const bool by_budget = *kind == Kind::kInterrupted && state.ending.by_budget;
  return by_budget ? std::nullopt : kind;
}

bool HookEventFinder::IsNewEnd(Kind kind, const Message& message) const {
  if (!told_) return true;
  const bool ends_next_turn = std::holds_alternative<Result>(message.payload) &&
                              turns_ended_ < turns_asked_;
  return ends_next_turn || (told_ == Kind::kDone && kind == Kind::kFailed) ||
         (told_ != Kind::kCancelled && kind == Kind::kCancelled);
}

std::optional<Kind> HookEventFinder::KindOf(const Message& message,
                                            const TaskState& state) {
  if (const auto* event = std::get_if<Lifecycle>(&message.payload);
      event != nullptr && event->kind == Lifecycle::Kind::kTurnAsked) {
    told_.reset();
    ++turns_asked_;
  }
  if (const auto* approval = std::get_if<Approval>(&message.payload)) {
    if (Asks(message, *approval, state.approvals)) {
      return approval->kind == Approval::Kind::kBudget ? Kind::kBudget
                                                       : Kind::kAsking;
    }
  } else if (const auto* question = std::get_if<Question>(&message.payload)) {
    if (Asks(message, *question, state.questions)) return Kind::kAsking;
  }
  return EndOf(message, state);
}

std::optional<HookEvent> HookEventFinder::OnMessage(const Message& message,
                                                    const TaskState& state) {
  if (!state.imported_from.empty()) return std::nullopt;
  const std::optional<Kind> kind = KindOf(message, state);
  status_ = state.status;
  withdrawn_results_ = state.withdrawn_results;
  if (!kind) return std::nullopt;
  HookEvent event = Describe(*kind, message, state);
  if (IsQuestion(event)) {
    AddAsked(message, &event);
  } else if (event.kind == Kind::kDone) {
    event.text = state.result ? state.result->text : "";
  } else {
    event.text = state.error;
    if (!state.hint.empty()) absl::StrAppend(&event.text, "; ", state.hint);
  }
  return event;
}

}  // namespace troika
