// For tests of a task's state.
#ifndef TROIKA_TASK_STATE_TESTING_H_
#define TROIKA_TASK_STATE_TESTING_H_

#include <string>

#include "task/state.h"

namespace troika {

// All that is set, a line a field, always in the same order.
std::string StateText(const TaskState& state);

}  // namespace troika

#endif  // TROIKA_TASK_STATE_TESTING_H_
