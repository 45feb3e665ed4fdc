// Writes the rows that show tasks in lists: into the index, and into the
// changes that viewers of the list receive.
#ifndef TROIKA_SERVER_TASK_ROWS_H_
#define TROIKA_SERVER_TASK_ROWS_H_

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/task_tools.h"
#include "store/task_store.h"

namespace troika {

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
  // Changes the row that the index has.
  void Change(const std::string& id,
              absl::AnyInvocable<TaskRow(TaskRow)> change);
  void Write(TaskRow row);

  const TaskTools& tools_;
  const std::function<bool(const std::string&)> is_open_;
  std::map<std::string, std::string> troubles_;  // The text of each, by task.
};

}  // namespace troika

#endif  // TROIKA_SERVER_TASK_ROWS_H_
