// The time in which a task's tools run, for their deadlines.
#ifndef TROIKA_TASK_TOOL_TIMES_H_
#define TROIKA_TASK_TOOL_TIMES_H_

#include "task/state.h"

namespace troika {

// Counts the time in which the open tools run, without the time in which they
// wait for an answer. Called when a tool begins, or when what waits changes.
void CountToolTimes(TaskState* state);

}  // namespace troika

#endif  // TROIKA_TASK_TOOL_TIMES_H_
