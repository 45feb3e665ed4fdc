// What deleted tasks have used, so that GET /usage still counts it.
//
// The file removed_usage.v1 of the state folder has a line of JSON for each of
// them, which is written before the task's folder is moved away.
#ifndef TROIKA_SERVER_REMOVED_USAGE_H_
#define TROIKA_SERVER_REMOVED_USAGE_H_

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "store/task_store.h"
#include "task/home.h"

namespace troika {

// Adds these tasks to the file, and syncs it. Blocks.
absl::Status KeepUsage(const Home& home, absl::Span<const TaskRow> tasks);

// Adds to `rows` what deleted tasks have used that were created in
// [since, until). A task that is still there does not count, and none counts
// twice. Lines that can't be read are left out. `days` as of
// TaskStore::Usage(). Blocks.
absl::Status AddRemovedUsage(const Home& home, absl::Time since,
                             absl::Time until,
                             std::optional<absl::Duration> days,
                             std::vector<TaskStore::UsageRow>* rows);

}  // namespace troika

#endif  // TROIKA_SERVER_REMOVED_USAGE_H_
