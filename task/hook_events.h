// Finds the events of a task that hooks (docs/hooks.md) are told, in the course
// of its messages.
//
// Computed from the log alone: whoever reads a log from its start finds the
// same events, with the same ids.
#ifndef TROIKA_TASK_HOOK_EVENTS_H_
#define TROIKA_TASK_HOOK_EVENTS_H_

#include <optional>
#include <string>

#include "absl/time/time.h"
#include "agent/message.h"
#include "base/fields.h"
#include "task/state.h"

namespace troika {

struct HookEvent {
  enum class Kind {
    kAsking,  // An approval or a question waits for a person.
    kBudget,  // A budget is used up, and the task asks whether to go on.
    // A turn ended.
    kDone,
    kFailed,
    kInterrupted,
    kCancelled,  // The task never started, and never will.
  };
  Kind kind = Kind::kDone;
  EventId id;
  absl::Time time;
  TaskStatus status = TaskStatus::kQueued;  // The task's, after the event.
  std::optional<TurnOutcome> outcome;       // Outcome of the last ended turn.
  int turn = 0;
  // For kAsking and kBudget: the id of what is asked, and the kind of the
  // approval, which is unset for a question.
  std::string asked;
  std::optional<Approval::Kind> approval;
  std::string tool_name;
  // The answer, the error, or what is asked; with secrets, and perhaps long.
  std::string text;
  TokenCounts usage;
  Cost cost;
};
template <>
inline constexpr auto kEnumNames<HookEvent::Kind> =
    EnumNames("asking", "budget", "done", "failed", "interrupted", "cancelled");

// Whether it says that an answer is wanted, which may be given or withdrawn
// before anybody is told.
inline bool IsQuestion(const HookEvent& event) {
  return event.kind == HookEvent::Kind::kAsking ||
         event.kind == HookEvent::Kind::kBudget;
}

class HookEventFinder {
 public:
  // `state` is the task's after the message. Messages come in the order of the
  // log, from its start. A task that was imported has no events: what it tells
  // of happened elsewhere.
  std::optional<HookEvent> OnMessage(const Message& message,
                                     const TaskState& state);

 private:
  std::optional<HookEvent::Kind> KindOf(const Message& message,
                                        const TaskState& state);
  std::optional<HookEvent::Kind> EndOf(const Message& message,
                                       const TaskState& state);

  // Whether the end is told: it is the first of its turn, or that of a turn
  // which was asked for while the last one ran, or a good turn turned bad.
  bool IsNewEnd(HookEvent::Kind kind, const Message& message) const;

  TaskStatus status_ = TaskStatus::kQueued;  // After the last message.
  int withdrawn_results_ = 0;
  // The end of the turn that was told, or nothing yet. A turn that is ended for
  // a budget counts as told: the question tells of it.
  std::optional<HookEvent::Kind> told_;
  // An agent can print any number of results, so no more ends than turns count.
  int turns_asked_ = 0;
  int turns_ended_ = 0;
};

}  // namespace troika

#endif  // TROIKA_TASK_HOOK_EVENTS_H_
