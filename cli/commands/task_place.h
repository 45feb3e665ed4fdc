// Where tasks are, for commands.
#ifndef TROIKA_CLI_COMMANDS_TASK_PLACE_H_
#define TROIKA_CLI_COMMANDS_TASK_PLACE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/discovery/environment.h"
#include "task/home.h"

namespace troika::cli {

// A task by its id, a beginning of it that no other has, or `latest`.
absl::StatusOr<TaskFolder> FindTask(const Environment& environment,
                                    absl::string_view name);

// The one task that a command line names, of what is no flag in it.
absl::StatusOr<std::string> OneTask(const std::vector<std::string>& words);

}  // namespace troika::cli

#endif  // TROIKA_CLI_COMMANDS_TASK_PLACE_H_
