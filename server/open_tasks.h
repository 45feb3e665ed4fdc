// The tasks that are open, in memory: those that are alive, and those that
// somebody watches or has asked for something.
//
// A task is opened when it is needed and closed when it needs nobody. While it
// is open, its row is written from here, at most four times a second unless
// somebody watches and its status changes.
#ifndef TROIKA_SERVER_OPEN_TASKS_H_
#define TROIKA_SERVER_OPEN_TASKS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/event_loop.h"
#include "dto/troika.pb.h"
#include "server/active_task.h"
#include "server/task_stream.h"
#include "server/task_tools.h"

namespace troika {

absl::Status NoTaskError(absl::string_view name);

// A task that was just made, and its file of events.
struct NewTask {
  MadeTask made;
  std::unique_ptr<EventFile> events;
};

// How long several processes may wait for input. Each keeps its memory: Claude
// Code about 210 MB.
inline constexpr absl::Duration kLongIdle = absl::Minutes(2);

// Returns how many of the processes that have waited since these times, the
// longest first, are to be closed.
size_t IdleToClose(absl::Span<const absl::Time> idle_since, size_t max_idle,
                   absl::Time now);

using TaskCallback = absl::AnyInvocable<void(absl::StatusOr<v1::Task>)>;

// Loop thread only. Callbacks may be called within the call that takes them.
class OpenTasks : private ActiveTask::Owner {
 public:
  // Processes beyond `max_idle` that wait for input are closed, the one that
  // waits longest first; and all but the last one that began to wait, once they
  // have waited for kLongIdle. Borrows the others.
  OpenTasks(const TaskTools* tools, const TaskParts* parts, size_t max_idle);

  // Opens the task, unless it is open.
  absl::StatusOr<ActiveTask*> Open(const std::string& id);
  // Does the same, and tells the starter if the task can't be opened.
  void OpenOrReport(const std::string& id);
  // Does the same for a task that was just made, and starts it.
  void StartOrReport(NewTask task);
  // Closes the task in the next round, if it is at rest or queued.
  void CloseSoon(const std::string& id);
  // The task was deleted: tells its viewers.
  void Remove(const std::string& id);
  // Has all open tasks look at what has changed outside of them, in the next
  // round.
  void AdvanceSoon();
  // Writes the rows of all open tasks.
  void PutRows();
  // Writes the rows of tasks whose status has changed: before the rows are
  // read.
  void PutChangedStatuses();

  // Runs a command on the task, and calls back with the task when what it did
  // is in the log.
  void Ask(const std::string& id, ActiveTask::Command command,
           TaskCallback done);
  void Get(const std::string& id, TaskCallback done);
  using StreamCallback =
      absl::AnyInvocable<void(absl::StatusOr<std::shared_ptr<TaskStream>>)>;
  // The task's events. They may still be read from the log: caught_up() tells.
  void GetStream(const std::string& id, StreamCallback done);

  // The task if it is open, else null. Valid until the loop goes on.
  ActiveTask* /*nullable*/ Find(absl::string_view id) const;
  // The id of the task whose relay is this process, or nothing.
  std::string FindByRelay(pid_t pid) const;
  size_t size() const { return open_.size(); }
  TaskStreams& streams() { return streams_; }
  const TaskStreams& streams() const { return streams_; }

 private:
  struct Entry {
    std::unique_ptr<ActiveTask> task;
    std::string shown_status;  // The status in the task's row.
    bool row_is_old = false;
    bool closing = false;
    // When its process began to wait for input, unless that is being closed.
    std::optional<absl::Time> idle_since;
    // What its parent was told last, and when.
    notes::SubtaskUsed told_parent;
    absl::Time told_parent_at = absl::InfinitePast();
  };

  absl::StatusOr<ActiveTask*> Add(
      ActiveTask::Source source,
      absl::StatusOr<std::shared_ptr<TaskStream>> stream);
  void OnWantsStart(ActiveTask& task) override;
  void OnChanged(ActiveTask& task) override;
  void OnRest(ActiveTask& task) override { CloseSoon(task.id()); }
  void OnEventsDropped(ActiveTask& task) override;
  void Close(const std::string& id);
  void UpdateIdle(Entry& entry);
  // Closes processes that wait, as the constructor says.
  void CloseIdle();
  // Notes in the log of the task that started this one what it has used, if
  // that one has a budget.
  void NoteForParent(Entry& entry);
  static bool HasNewStatus(const Entry& entry);
  void PutRow(Entry& entry);
  // Calls PutOldRows() within `delay`, if nobody asks for the rows before.
  void PutRowsIn(absl::Duration delay);
  void PutOldRows();
  std::optional<v1::Task> Describe(const std::string& id) const;
  void AddPosition(v1::Task* task) const;

  const TaskTools& tools_;
  const TaskParts& parts_;
  const size_t max_idle_;
  std::map<std::string, Entry, std::less<>> open_;
  TaskStreams streams_;
  const std::unique_ptr<EventLoop::Timer> row_timer_;
  const std::unique_ptr<EventLoop::Timer> idle_timer_;
  absl::Time rows_due_;  // When row_timer_ fires, if it is set.
};

}  // namespace troika

#endif  // TROIKA_SERVER_OPEN_TASKS_H_
