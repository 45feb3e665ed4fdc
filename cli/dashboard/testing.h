// Tasks for the tests of the dashboard.
#ifndef TROIKA_CLI_DASHBOARD_TESTING_H_
#define TROIKA_CLI_DASHBOARD_TESTING_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "dto/troika.pb.h"

namespace troika::cli {

inline const absl::Time kNoon = absl::FromUnixSeconds(1'790'000'000);

// Returns a task whose last activity was that long before noon.
inline v1::Task MakeTask(const std::string& id, v1::Task::State state,
                         absl::Duration age = absl::Seconds(5)) {
  v1::Task task;
  task.set_id(id);
  task.set_state(state);
  task.set_title(absl::StrCat("title of ", id));
  task.set_harness("claude");
  task.set_cwd("/home/me/app");
  if (state == v1::Task::done) task.set_outcome(v1::done);
  if (state == v1::Task::failed) task.set_outcome(v1::failed);
  task.mutable_last_activity_at()->set_seconds(
      absl::ToUnixSeconds(kNoon - age));
  return task;
}

}  // namespace troika::cli

#endif  // TROIKA_CLI_DASHBOARD_TESTING_H_
