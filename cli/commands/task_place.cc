#include "cli/commands/task_place.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"

namespace troika::cli {

absl::StatusOr<TaskFolder> FindTask(const Environment& environment,
                                    absl::string_view name) {
  ASSIGN_OR_RETURN(const Home home, Home::Open(environment));
  if (name != "latest") return home.FindTask(name);
  const std::vector<std::string> ids = home.TaskIds();
  if (ids.empty()) {
    return absl::NotFoundError(absl::StrCat(
        "no task in ", home.path(), "/tasks yet: `troika run` starts one"));
  }
  return home.FindTask(ids.front());
}

absl::StatusOr<std::string> OneTask(const std::vector<std::string>& words) {
  if (words.size() == 1 && !words[0].empty()) return words[0];
  return absl::InvalidArgumentError(
      words.size() < 2
          ? "a task is needed: its id, or latest"
          : absl::StrCat("more than one task: ", absl::StrJoin(words, " ")));
}

}  // namespace troika::cli
