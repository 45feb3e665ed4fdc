// Makes the request of a task that goes on with a copy of another task's
// session.
#ifndef TROIKA_TASK_FORK_H_
#define TROIKA_TASK_FORK_H_

#include "absl/status/statusor.h"
#include "task/notes.h"
#include "task/request.h"
#include "task/state.h"

namespace troika {

// Returns a request for a copy that begins after the given turn of the task; 0
// is the last one that has ended. It has the task's folder and options as they
// are now; prompt, title and labels are the caller's to set. InvalidArgument if
// there is no such turn, FailedPrecondition if it can't be forked there.
absl::StatusOr<TaskRequest> ForkOf(const notes::Request& request,
                                   const TaskState& state, int turn);

}  // namespace troika

#endif  // TROIKA_TASK_FORK_H_
