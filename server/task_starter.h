// Starts tasks: takes up those that are alive, then lets queued ones run in
// their order, within the limits.
#ifndef TROIKA_SERVER_TASK_STARTER_H_
#define TROIKA_SERVER_TASK_STARTER_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/discovery/discovery.h"
#include "agent/discovery/environment.h"
#include "agent/harness.h"
#include "base/event_loop.h"
#include "server/active_task.h"
#include "server/load_task.h"
#include "server/open_tasks.h"
#include "server/task_tools.h"

namespace troika {

// Loop thread only.
class TaskStarter {
 public:
  // Both are borrowed.
  TaskStarter(const TaskTools* tools, const TaskParts* parts);

  // Queues a task that waits for a process.
  void Add(const LoadedTask& task);
  // Does the same for a task that was just made. If it can start at once, it is
  // open afterwards; else its log is unlocked.
  void AddNew(NewTask task, absl::string_view harness);
  // The same for a task that has a place (Reserve), and starts at once.
  void StartNew(NewTask task, absl::string_view place);
  // Calls back once it is known how many tasks run.
  void WhenCounted(absl::AnyInvocable<void()> then);
  // Keeps a place for a task that must not wait, as StartQueue::Reserve().
  // Unavailable until it is known how many tasks run.
  absl::Status Reserve(absl::string_view place, Harness harness);
  // Gives a place up that nobody has taken.
  void Release(absl::string_view place);
  // The place of a task's turn that must not wait.
  static std::string PlaceOf(absl::string_view id);
  // Opens tasks that are alive, a few in each round. Nothing is started before
  // all of them are read, because they count against the limits.
  void TakeUp(std::vector<std::string> ids);
  // Starts as many of the waiting tasks as may run.
  void StartSome() { StartSome(nullptr); }
  // Whether the task was found alive and has not been read yet.
  bool IsUnread(const std::string& id) const { return unread_.count(id) > 0; }
  // How many tasks are still to be opened.
  size_t remaining() const { return to_open_.size(); }

  // Looks for the harness's CLI, on a thread unless it is remembered.
  void FindCli(Harness harness, Environment environment,
               absl::AnyInvocable<void(absl::StatusOr<Cli>)> found);

  // Has the task read again, and shows why it could not be read.
  void RetryLater(const std::string& id, const absl::Status& error);
  // Shows that the task can't be read, and has it read again if that may help.
  void OnUnreadable(const std::string& id, const absl::Status& error);
  // The task's turn waits for a process: gives it one when it may run.
  void OnWantsStart(ActiveTask& task);
  // The task was read to the end of its log, or can't be read any further.
  void OnRead(const ActiveTask& task);

 private:
  // Whether all tasks that are alive have been read.
  bool Counted() const;
  // Moves from `made` if its turn has come.
  void StartSome(NewTask* /*nullable*/ made);
  void StartProcess(ActiveTask& task);
  void OpenSome();
  // Has read, or can't read, a task of TakeUp().
  void MarkRead(const std::string& id);
  // Shows viewers of waiting tasks the positions of these.
  void ShowPositionsSoon();
  void ShowPositions();

  const TaskTools& tools_;
  const TaskParts& parts_;
  CliMemory clis_;
  std::deque<std::string> to_open_;
  std::set<std::string> unread_;
  std::vector<absl::AnyInvocable<void()>> when_counted_;
  const std::unique_ptr<EventLoop::Timer> open_timer_;
  const std::unique_ptr<EventLoop::Timer> position_timer_;
  int64_t shown_version_ = 0;  // Version of the queue when it was shown.
  bool starting_ = false;
};

}  // namespace troika

#endif  // TROIKA_SERVER_TASK_STARTER_H_
