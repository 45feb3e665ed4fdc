// Shows a list of tasks on a terminal or in a pipe.
#ifndef TROIKA_CLI_COMMANDS_TASK_LIST_H_
#define TROIKA_CLI_COMMANDS_TASK_LIST_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "cli/timeline/timeline.h"
#include "dto/troika.pb.h"

namespace troika::cli {

struct TaskListLook {
  size_t width = 0;  // Columns of the terminal, or 0 if there is none.
  Timeline::Color color = Timeline::Color::kNever;
  absl::Time now;
  std::string home;  // The user's folder, which is shown as ~.
};

// Returns a table with a row for each task: id, state, agent, harness, time
// since the last activity, cost, folder and title. On a terminal that is too
// narrow, columns are left out, the least needed first, and the title is cut.
// Empty if there are no tasks.
std::string TaskListText(const std::vector<v1::Task>& tasks,
                         const TaskListLook& look);

}  // namespace troika::cli

#endif  // TROIKA_CLI_COMMANDS_TASK_LIST_H_
