// Waits for something to happen in a task, without blocking.
#ifndef TROIKA_SERVER_MCP_TASK_WATCH_H_
#define TROIKA_SERVER_MCP_TASK_WATCH_H_

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "dto/troika.pb.h"
#include "server/routes.h"
#include "server/task_stream.h"

namespace troika {

struct TaskWait {
  std::string task;  // The whole id.
  absl::Duration at_most;
  // Called with the task now, and a moment after each change of it. The wait
  // ends when it returns true.
  std::function<bool(const v1::Task&, const TaskStream&)> is_over;
};

// Waits that have not ended. Loop thread only.
class TaskWaits {
 public:
  TaskWaits();
  ~TaskWaits();
  TaskWaits(const TaskWaits&) = delete;
  TaskWaits& operator=(const TaskWaits&) = delete;

  // Called once, before any wait. `api` is borrowed.
  void Begin(const ApiTools* api) { api_ = api; }
  // Calls back with the task and its events when the wait ends, or when
  // `at_most` has passed.
  using Done = absl::AnyInvocable<void(absl::StatusOr<v1::Task>,
                                       TaskStream* /*nullable*/)>;
  void Wait(TaskWait wait, Done done);
  // Drops all of them, without calling back: for the end of the server.
  void Drop();

 private:
  class Watch;

  const ApiTools* api_ = nullptr;
  std::set<std::shared_ptr<Watch>> watches_;
};

}  // namespace troika

#endif  // TROIKA_SERVER_MCP_TASK_WATCH_H_
