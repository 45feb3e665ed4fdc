// Fills a state folder with tasks, as if they had run over weeks, to measure a
// server with many of them or to try it by hand.
#ifndef TROIKA_BENCH_SCALE_TASKS_H_
#define TROIKA_BENCH_SCALE_TASKS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace troika::bench {

struct TaskMix {
  int ended = 0;
  // Tasks that wait for their first turn. They are newer than all others.
  int queued = 0;
  uint64_t seed = 1;
  // Creation time of the newest ended task, and the time between two tasks.
  absl::Time newest = absl::UnixEpoch();
  absl::Duration spacing = absl::Minutes(1);
  // The tasks' working folder. It need not exist for ended tasks.
  std::string cwd = "/workspace/project";
  // CLI for queued tasks, which all use the harness codex; default: on PATH.
  std::string codex;
};

struct MadeTasks {
  int tasks = 0;
  int64_t log_bytes = 0;
};

// Writes the folders of these tasks below HOME/tasks. The same mix gives the
// same bytes. Logs contain what a relay would have written: 80 % have 2 to 8
// kB, 17 % up to 40 kB and 3 % up to 400 kB; 88 % of the ended tasks are done,
// 6 % failed, 4 % interrupted and 2 % cancelled. AlreadyExists if a task with
// one of the ids exists. Creates neither an index nor event caches.
absl::StatusOr<MadeTasks> MakeTasks(const std::string& home,
                                    const TaskMix& mix);

}  // namespace troika::bench

#endif  // TROIKA_BENCH_SCALE_TASKS_H_
