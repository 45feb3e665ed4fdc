// All tasks of a state folder.
//
// Only some of them are open, in memory (open_tasks.h). All others are rows of
// the index (task_index.h), which the loader keeps up to date with the logs
// (task_loader.h). Others make tasks (task_maker.h), start them
// (task_starter.h), and delete them (task_deleter.h).
#ifndef TROIKA_SERVER_TASKS_H_
#define TROIKA_SERVER_TASKS_H_

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/discovery/environment.h"
#include "server/active_task.h"
#include "server/load_task.h"
#include "server/open_tasks.h"
#include "server/start_queue.h"
#include "server/task_deleter.h"
#include "server/task_index.h"
#include "server/task_loader.h"
#include "server/task_maker.h"
#include "server/task_rows.h"
#include "server/task_starter.h"
#include "server/task_tools.h"
#include "task/request.h"

namespace troika {

// Loop thread only. Callbacks may be called within the call that takes them.
class Tasks : private TaskLoader::Owner, private TaskDeleter::Owner {
 public:
  struct Options {
    StartLimits limits;
    int max_queued = 10000;
    // For tasks that are made without one.
    std::optional<absl::Duration> approval_timeout;
    notes::Budget budget;
  };

  Tasks(const Options& options, TaskTools tools);

  // Begins to find the tasks that exist: takes up those that are alive, queues
  // those that wait, and computes rows that are missing or behind.
  void Begin();

  // Makes a task, or finds the one that was made with the same idempotency key.
  void Create(TaskRequest request, Environment environment, TaskCallback done);
  // Makes an ended task of a session's file.
  void Import(ImportRequest request, Environment environment,
              TaskCallback done);
  // ResourceExhausted if no more tasks may wait.
  absl::Status CheckQueue() const { return maker_.CheckQueue(); }
  // Keeps a place among the running tasks for a turn of the task, which must
  // not wait in the queue. ResourceExhausted if there is none.
  absl::Status ReserveTurn(const std::string& id, Harness harness) {
    return starter_.Reserve(TaskStarter::PlaceOf(id), harness);
  }
  // Gives it up in the next round, if the turn does not need it.
  void ReleaseTurnSoon(const std::string& id);
  // FailedPrecondition while the task is alive or waits.
  void Delete(const std::string& id,
              absl::AnyInvocable<void(absl::Status)> done);
  // Finds a task by its id, the beginning of one that no other has, or
  // `latest`.
  void Find(const std::string& name, TaskMaker::IdCallback found);

  // Shows, watches and commands tasks, and opens them for that.
  OpenTasks& open() { return open_; }
  const OpenTasks& open() const { return open_; }
  // Calls back once all tasks that are alive were read. Before that the index
  // may lack those that a killed server has made.
  void WhenRead(absl::AnyInvocable<void()> then);
  // Called when a task was made, imported or deleted.
  void SetOnListChanged(std::function<void()> on_list_changed) {
    on_list_changed_ = std::move(on_list_changed);
  }
  // The index with the present status of each task: for lists and sums.
  TaskIndex& index() {
    open_.PutChangedStatuses();
    return *tools_.index;
  }

  // How many tasks are still to be read.
  size_t loading() const { return loader_.remaining() + starter_.remaining(); }
  int running() const { return queue_.running(); }
  int queued() const { return queue_.waiting(); }
  // Whether nothing is alive, waits or is watched.
  bool idle() const;
  // Writes the rows of all open tasks, and stops reading others: for the end of
  // the server.
  void Finish();
  // Deletes ended tasks, once all of them are known.
  void Retain(const Retention::Limits& limits);

 private:
  void OnLoaded(std::vector<LoadedTask> tasks) override;
  void OnAlive(std::vector<std::string> ids) override;
  void OnRemoved(std::vector<std::string> ids) override;
  void OnProgress() override { starter_.StartSome(); }
  absl::Status CheckDelete(const std::string& id) const override;
  void OnDeleted(const std::string& id) override;
  // Whether what the loader has read of a task is older than what we know.
  bool IsNewer(const std::string& id) const;

  // Calls back with the task of that id, which was made just now.
  void ShowMade(const absl::StatusOr<std::string>& id, TaskCallback done);

  std::atomic<bool> ending_ = false;
  std::function<void()> on_list_changed_ = [] {};
  const TaskTools tools_;
  const TaskParts parts_ = {.queue = &queue_,
                            .loader = &loader_,
                            .rows = &rows_,
                            .deleter = &deleter_,
                            .starter = &starter_,
                            .open = &open_};
  StartQueue queue_;
  TaskLoader loader_;
  TaskRows rows_;
  TaskDeleter deleter_;
  TaskStarter starter_;
  OpenTasks open_;
  TaskMaker maker_;
  Retention retention_;
};

}  // namespace troika

#endif  // TROIKA_SERVER_TASKS_H_
