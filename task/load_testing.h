// A task from its log, by the same code as live.
#ifndef TROIKA_TASK_LOAD_TESTING_H_
#define TROIKA_TASK_LOAD_TESTING_H_

#include "absl/status/statusor.h"
#include "agent/protocol.h"
#include "task/home.h"
#include "task/state.h"

namespace troika {

// Reads all of a task's log as it is now, and writes nothing. What is damaged
// in it are messages, too; errors are those of relay::LogReader.
absl::StatusOr<TaskState> Load(const TaskFolder& folder, MessageSink sink);

}  // namespace troika

#endif  // TROIKA_TASK_LOAD_TESTING_H_
