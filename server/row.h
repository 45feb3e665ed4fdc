// A task's row of the index.
#ifndef TROIKA_SERVER_ROW_H_
#define TROIKA_SERVER_ROW_H_

#include "dto/troika.pb.h"
#include "server/active_task.h"
#include "store/task_store.h"

namespace troika {

// Computed from what has been read of the task's log.
TaskRow RowOf(const ActiveTask& task);

// The task as lists show it: without what may be long.
v1::Task ForList(v1::Task task);

// The row of a task whose log is gone: it has failed for that reason. Of `row`
// is kept what it knows.
TaskRow LostRow(TaskRow row, absl::string_view reason);

}  // namespace troika

#endif  // TROIKA_SERVER_ROW_H_
