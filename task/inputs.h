// The inputs of a task's state: those that wait, and the last that ended.
#ifndef TROIKA_TASK_INPUTS_H_
#define TROIKA_TASK_INPUTS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "agent/message.h"
#include "task/state.h"

namespace troika {

// The id of the number-th input.
std::string InputId(int number);
// Null if the state does not have the input, or no longer.
const TaskInput* /*nullable*/ FindInput(const TaskState& state,
                                        absl::string_view id);
// The input that is to be sent when no turn runs; null if none waits, the
// queue is held, or a budget is to be answered first.
const TaskInput* /*nullable*/ NextInput(const TaskState& state);

// Counts a receipt in. Of the inputs that ended, the last kMaxEndedInputs are
// kept, with the beginning of their texts.
void TakeReceipt(const Receipt& receipt, TaskState* state);

}  // namespace troika

#endif  // TROIKA_TASK_INPUTS_H_
