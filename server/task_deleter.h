// Deletes the files of tasks.
//
// A task's folder is first renamed, which takes it out of sight at once, and
// its files are removed afterwards. What a server that was killed has left of
// them is removed by the next one.
#ifndef TROIKA_SERVER_TASK_DELETER_H_
#define TROIKA_SERVER_TASK_DELETER_H_

#include <set>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "server/task_tools.h"

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
  const TaskTools& tools_;
  Owner& owner_;
  std::set<std::string> deleting_;
};

}  // namespace troika

#endif  // TROIKA_SERVER_TASK_DELETER_H_
