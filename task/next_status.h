// The table of states: for each status and each step, the status that follows.
// It has no gaps, and nothing else changes a status. docs/tasks.md shows it.
#ifndef TROIKA_TASK_NEXT_STATUS_H_
#define TROIKA_TASK_NEXT_STATUS_H_

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
  kBudgetWaits,  // Troika asks whether to go on; there may be no process.
  kGoesOn,       // A turn follows at once, and no process is there to take it.
};
inline constexpr int kSteps = 17;

TaskStatus NextStatus(TaskStatus status, Step step);

}  // namespace troika

#endif  // TROIKA_TASK_NEXT_STATUS_H_
