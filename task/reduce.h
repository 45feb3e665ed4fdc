// Computes a task's state from its messages.
//
// One table, in reduce.cc, says for each status and each step which status
// follows; it has no gaps, and nothing else changes a status. docs/tasks.md
// shows it.
#ifndef TROIKA_TASK_REDUCE_H_
#define TROIKA_TASK_REDUCE_H_

#include "agent/message.h"
#include "task/state.h"

namespace troika {

// The effect of a message on the status.
enum class Step {
  kNothing,
  kTurnWaits,  // A turn is asked for, and no process is there to take it.
  kTurnTaken,  // One is asked for, and the process that lives takes it.
  kSpawned,
  kSpoke,   // The agent works on a turn.
  kWorked,  // So it does, or it finishes what an earlier turn left.
  kApprovalWaits,
  kQuestionWaits,
  kAllAnswered,
  kTurnEnded,  // And the process lives.
  kEndedWell,  // The process ended, or there is none.
  kEndedBadly,
  kEndedAsAsked,
  kEndedBeforeTurn,  // It ended, and a turn waits for the next one.
  kCancelled,
};
inline constexpr int kSteps = 15;

TaskStatus NextStatus(TaskStatus status, Step step);

// Counts the work since state->awake.working_since, up to state->awake.now.
void StopWork(TaskState* state);

// Adds the message to the state. A subagent's messages change nothing, except
// its approvals and questions. Never fails, whatever the order.
void Reduce(const Message& message, TaskState* state);

}  // namespace troika

#endif  // TROIKA_TASK_REDUCE_H_
