// Deletes ended tasks that are too old, or more than fit.
//
// Works in pages and batches, on pool threads: what it costs grows with the
// number of tasks, and the loop sees only ids.
#ifndef TROIKA_SERVER_RETENTION_H_
#define TROIKA_SERVER_RETENTION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"
#include "base/thread_pool.h"
#include "server/task_index.h"
#include "task/home.h"

namespace troika {

// Loop thread only.
class Retention {
 public:
  // Deletes those tasks that can be deleted, and calls back when their files
  // are gone.
  using DeleteTasks = absl::AnyInvocable<void(std::vector<std::string> ids,
                                              absl::AnyInvocable<void()> done)>;

  // All borrowed.
  struct Tools {
    ThreadPool* pool = nullptr;
    TaskIndex* index = nullptr;
    const Home* home = nullptr;
  };

  Retention(const Tools& tools, DeleteTasks delete_tasks)
      : tools_(tools), delete_tasks_(std::move(delete_tasks)) {}

  struct Limits {
    // Tasks that ended earlier are deleted.
    absl::Time ended_before = absl::InfinitePast();
    int64_t max_bytes = 0;  // For all files of ended tasks; 0 if any.
  };
  // Does nothing while the last call is at work.
  void Run(const Limits& limits);
  bool running() const { return running_; }

 private:
  struct Ended {
    TaskStore::EndedTask task;
    int64_t bytes = 0;
  };

  void ReadPage(const TaskStore::EndedTask& after);
  void OnPage(std::vector<Ended> page);
  void DeleteSome();

  const Tools tools_;
  DeleteTasks delete_tasks_;
  bool running_ = false;
  Limits limits_;
  std::vector<Ended> ended_;  // The oldest first.
  int64_t bytes_ = 0;         // Total of ended_ from next_ on.
  size_t next_ = 0;
};

}  // namespace troika

#endif  // TROIKA_SERVER_RETENTION_H_
