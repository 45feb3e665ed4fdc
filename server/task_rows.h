// The rows that show tasks in lists: computes them, and writes them into the
// index and into the changes that viewers of the list receive.
#ifndef TROIKA_SERVER_TASK_ROWS_H_
#define TROIKA_SERVER_TASK_ROWS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "dto/redact.h"
#include "dto/troika.pb.h"
#include "server/task_tools.h"
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

// Loop thread only.
class TaskRows {
 public:
  // `is_open` tells whether a task is open, and therefore writes its own row.
  TaskRows(const TaskTools* tools,
           std::function<bool(const std::string&)> is_open)
      : tools_(*tools), is_open_(std::move(is_open)) {}

  // Writes a row that was computed from the task's log.
  void Put(TaskRow row);
  // Shows a task whose log is gone or broken as failed.
  void PutLost(const std::string& id, const absl::Status& error);
  // Shows why a task can't be read now.
  void PutTrouble(const std::string& id, const absl::Status& error);
  // Whether the row shows trouble. The task may then be alive.
  bool HasTrouble(const std::string& id) const {
    return troubles_.count(id) > 0;
  }
  void ClearTrouble(const std::string& id) { troubles_.erase(id); }
  void Remove(const std::string& id);

 private:
  // Changes the row that the index has, unless Put() writes another one before
  // that has been read.
  void Change(const std::string& id,
              absl::AnyInvocable<TaskRow(TaskRow)> change);
  void Write(TaskRow row);

  const TaskTools& tools_;
  const std::function<bool(const std::string&)> is_open_;
  std::map<std::string, std::string> troubles_;  // The text of each, by task.
  // Changes that wait for the row, by task.
  struct Changing {
    int count = 0;
    bool is_outdated = false;  // A row was put meanwhile.
  };
  std::map<std::string, Changing> changing_;
};

}  // namespace troika

#endif  // TROIKA_SERVER_TASK_ROWS_H_
