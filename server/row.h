// A task's row of the index.
#ifndef TROIKA_SERVER_ROW_H_
#define TROIKA_SERVER_ROW_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "dto/redact.h"
#include "dto/troika.pb.h"
#include "store/task_store.h"
#include "task/notes.h"
#include "task/state.h"

namespace troika {

// A task as far as its log has been read.
struct TaskReading {
  const TaskState* state = nullptr;
  const notes::Request* /*nullable*/ request = nullptr;
  std::string last_event_id;
  std::string trouble;  // Why the log can't be read or written now, or empty.
  int64_t log_bytes = 0;
};

// The task as clients see it, without its secrets.
v1::Task DescribeTask(const TaskReading& reading, const Redactor& redactor);

// `task` is what DescribeTask() made of `reading`.
TaskRow RowOf(const TaskReading& reading, const v1::Task& task);

// The complete task of a row, or nothing if the row is damaged.
std::optional<v1::Task> TaskOf(const TaskRow& row);

// Whether an error of reading a task may pass: its log is not lost or broken,
// but can't be read now, as after EIO, EACCES or EMFILE.
bool MayPass(const absl::Status& error);

// The row of a task whose log is gone or broken: it has failed for that
// reason, and keeps what `row` knows of it.
TaskRow LostRow(TaskRow row, absl::string_view reason);

// The row of a task that can't be read now. It has not ended: it may be alive,
// and is read again.
TaskRow TroubledRow(TaskRow row, absl::string_view trouble);

}  // namespace troika

#endif  // TROIKA_SERVER_ROW_H_
