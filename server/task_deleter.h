// Deletes tasks: those that somebody names, and those that are too old or too
// many.
//
// A task's folder is first renamed, which takes it out of sight at once, and
// its files are removed afterwards. What the task has used is kept
// (removed_usage.h). What a server that was killed has left of them is removed
// by the next one.
#ifndef TROIKA_SERVER_TASK_DELETER_H_
#define TROIKA_SERVER_TASK_DELETER_H_

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/thread_pool.h"
#include "server/task_index.h"
#include "server/task_tools.h"
#include "task/home.h"

namespace troika {

// The error for a task that can't be deleted yet.
absl::Status HasNotEndedError(const std::string& id);

// Loop thread only.
class TaskDeleter {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    // FailedPrecondition if the task may be alive or waiting.
    virtual absl::Status CheckDelete(const std::string& id) const = 0;
    // The task's folder is gone.
    virtual void OnDeleted(const std::string& id) = 0;
  };
  struct Deletion {
    std::string id;
    absl::Status status;
  };

  TaskDeleter(const TaskTools* tools, Owner* owner)
      : tools_(*tools), owner_(*owner) {}

  // Deletes those tasks that its owner and their locks allow, and calls back
  // with what became of each when their files are gone.
  void Delete(const std::vector<std::string>& ids,
              absl::AnyInvocable<void(std::vector<Deletion>)> done);
  bool IsDeleting(const std::string& id) const {
    return deleting_.count(id) > 0;
  }
  void EmptyTrash();

 private:
  using Deletions = std::vector<Deletion>;

  // Keeps what the tasks have used, whose rows these are, and deletes them.
  void Move(Deletions deletions, std::vector<TaskRow> rows,
            absl::AnyInvocable<void(Deletions)> done);

  const TaskTools& tools_;
  Owner& owner_;
  std::set<std::string> deleting_;
};

// Deletes ended tasks that are too old, or more than fit. Works in pages and
// batches, on pool threads: what it costs grows with the number of tasks, and
// the loop sees only ids. Loop thread only.
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

#endif  // TROIKA_SERVER_TASK_DELETER_H_
