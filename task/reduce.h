// Computes a task's state from its messages.
//
// The status changes by the table of task/next_status.h alone.
#ifndef TROIKA_TASK_REDUCE_H_
#define TROIKA_TASK_REDUCE_H_

#include "agent/message.h"
#include "task/state.h"

namespace troika {

// Counts the work since state->awake.working_since, up to state->awake.now.
void StopWork(TaskState* state);

// Adds the message to the state. A subagent's messages change nothing, except
// its approvals and questions. Never fails, whatever the order.
void Reduce(const Message& message, TaskState* state);

}  // namespace troika

#endif  // TROIKA_TASK_REDUCE_H_
