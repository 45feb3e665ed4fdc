// The list of tasks as rows.
#ifndef TROIKA_CLI_DASHBOARD_TASK_ROWS_H_
#define TROIKA_CLI_DASHBOARD_TASK_ROWS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "cli/dashboard/frame.h"
#include "cli/dashboard/task_book.h"

namespace troika::cli {

// Code of the colour of a group.
absl::string_view ColourOf(TaskGroup group);

struct ListLook {
  size_t width = 80;
  size_t height = 20;
  Paint paint{Timeline::Color::kNever};
  absl::Time now;
  bool focused = true;
};

// Keeps which part of the list is shown.
class TaskRows {
 public:
  // Returns `height` rows at most: a heading for each group, and its tasks. The
  // row of the task `selected` is among them.
  std::vector<std::string> Draw(const std::vector<TaskBook::Entry>& entries,
                                const std::string& selected,
                                const ListLook& look);

 private:
  size_t top_ = 0;
};

}  // namespace troika::cli

#endif  // TROIKA_CLI_DASHBOARD_TASK_ROWS_H_
