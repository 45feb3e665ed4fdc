// All tasks of a state folder: makes them, opens those that need it, lets no
// more of them run than may, and answers what is asked of them.
//
// Only tasks that live, or that somebody watches or has asked something, are
// open, in memory. All others are rows of the index (task_index.h), which the
// loader keeps up to date with the logs (task_loader.h).
#ifndef TROIKA_SERVER_TASKS_H_
#define TROIKA_SERVER_TASKS_H_

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/discovery/environment.h"
#include "base/clock.h"
#include "base/event_loop.h"
#include "base/thread_pool.h"
#include "dto/troika.pb.h"
#include "server/active_task.h"
#include "server/changes.h"
#include "server/load_task.h"
#include "server/retention.h"
#include "server/start_queue.h"
#include "server/task_index.h"
#include "server/task_loader.h"
#include "server/task_stream.h"
#include "task/home.h"
#include "task/request.h"

namespace troika {

// Loop thread only. Answers may come within the call.
class Tasks : private ActiveTask::Owner, private TaskLoader::Owner {
 public:
  struct Options {
    StartLimits limits;
    int max_queued = 10000;
  };
  // All borrowed.
  struct Tools {
    EventLoop* loop = nullptr;
    ThreadPool* pool = nullptr;         // For what takes a moment,
    ThreadPool* probe_pool = nullptr;   // for CLIs, which may hang,
    ThreadPool* load_pool = nullptr;    // for reading many logs,
    ThreadPool* delete_pool = nullptr;  // and for removing files.
    Clock* clock = nullptr;
    const Home* home = nullptr;
    TaskIndex* index = nullptr;
    Changes* changes = nullptr;
    std::string relay_program;
  };
  using Answer = absl::AnyInvocable<void(absl::StatusOr<v1::Task>)>;
  using Done = absl::AnyInvocable<void(absl::Status)>;

  Tasks(Options options, Tools tools);
  ~Tasks() override;

  // Begins to find the tasks that there are: takes up those that live, queues
  // those that wait, and computes rows that are missing or behind.
  void Begin();

  // Makes a task. A key that was seen before answers with its task.
  void Create(TaskRequest request, Environment environment, Answer answer);
  // Asks something of a task, and answers with it when that is in its log.
  void Ask(const std::string& id, ActiveTask::Command command, Answer answer);
  // FailedPrecondition while the task lives or waits.
  void Delete(const std::string& id, Done done);

  // Finds a task by its id, the beginning of one that no other has, or
  // `latest`.
  void Find(const std::string& name,
            absl::AnyInvocable<void(absl::StatusOr<std::string>)> found);
  void Get(const std::string& id, Answer answer);
  // The task's events. They may still be read from the log: caught_up() tells.
  using Streamed =
      absl::AnyInvocable<void(absl::StatusOr<std::shared_ptr<TaskStream>>)>;
  void Stream(const std::string& id, Streamed streamed);
  // For lists and sums.
  TaskIndex& index() { return *tools_.index; }
  // ResourceExhausted where no more tasks may wait.
  absl::Status CheckQueue() const;

  // The task of an open one, or nothing.
  std::optional<v1::Task> GetOpen(const std::string& id) const;
  // The runner of a task that is open, or null. Valid until the loop goes on.
  const Runner* /*nullable*/ RunnerOf(absl::string_view id) const {
    const ActiveTask* const task = ActiveOf(id);
    return task == nullptr ? nullptr : &task->runner();
  }
  // The task whose relay this process is; empty: none of ours.
  std::string TaskOfRelay(pid_t pid) const;

  // How many tasks are still to be read.
  size_t loading() const;

  struct Counts {
    size_t open = 0;
    size_t viewers = 0;
    int running = 0;
    int queued = 0;
  };
  Counts counts() const;
  // Nothing lives, waits or is watched.
  bool idle() const;
  // Nobody has heard of them for a while.
  void Beat();
  // Puts the rows of all open tasks into the index, and stops reading others:
  // for the end of the server.
  void Finish();
  // Deletes ended tasks, once all of them are known.
  void Retain(const Retention::Limits& limits);

 private:
  // An open task, and what is known of it besides.
  struct Open {
    std::unique_ptr<ActiveTask> task;
    std::string shown_status;  // As its row has it.
    bool row_is_old = false;
    bool closing = false;
  };

  // tasks.cc: making and asking.
  void LookUpKey(const std::string& key, TaskRequest request,
                 Environment environment);
  void FindCliAndMake(const std::string& key, TaskRequest request,
                      Environment environment);
  void Make(TaskRequest request, Environment environment,
            absl::StatusOr<Cli> cli, const std::string& key);
  void OnMade(LoadedTask task, const Cli& cli, const std::string& key);
  void AnswerMade(const std::string& key, const absl::StatusOr<v1::Task>& task);
  void AddPosition(v1::Task* task) const;

  // tasks_open.cc: open tasks.
  void OnChanged(ActiveTask& task) override;
  void OnRest(ActiveTask& task) override;
  void OnEventsDropped(ActiveTask& task) override;
  absl::StatusOr<ActiveTask*> Activate(const std::string& id);
  absl::StatusOr<std::shared_ptr<TaskStream>> OpenStream(
      const std::string& id, const TaskFolder& folder);
  ActiveTask* /*nullable*/ ActiveOf(absl::string_view id) const;
  void CloseSoon(const std::string& id);
  void Close(const std::string& id);
  // More idle processes than may run are closed, the oldest first.
  void CloseIdle();
  void OnLoaded(std::vector<LoadedTask> tasks) override;
  void OnAlive(std::vector<std::string> ids) override;
  void OnRemoved(std::vector<std::string> ids) override;
  void OnProgress() override;
  void OpenSome();
  // The task has been read, or can't be.
  void Settle(const std::string& id);
  // Whether what the loader has read of a task is older than what we know.
  bool IsNewer(const std::string& id) const;
  bool MayStart() const;

  // tasks_start.cc: the queue.
  void OnWantsStart(ActiveTask& task) override;
  void CountIn(const ActiveTask& task);
  void StartSome();
  void FindCliFor(ActiveTask& task);
  // Looks for the harness's CLI.
  void Probe(Harness harness, Environment environment,
             absl::AnyInvocable<void(absl::StatusOr<Cli>)> found);
  void TellPositionsSoon();
  void TellPositions();

  // tasks_rows.cc: rows, and deletion.
  void PutRow(Open& open);
  void Put(TaskRow row);
  void PutOldRows();
  // Changes the row that the index has.
  void ChangeRow(const std::string& id,
                 absl::AnyInvocable<TaskRow(TaskRow)> change);
  void PutLost(const std::string& id, absl::string_view reason);
  // The task can't be read now: shows that, and tries again.
  void RetryLater(const std::string& id, const absl::Status& error);
  void PutTrouble(const std::string& id, const absl::Status& error);
  absl::Status CheckDelete(const std::string& id) const;
  void DeleteFiles(std::vector<std::string> ids,
                   absl::AnyInvocable<void(std::vector<absl::Status>)> done);
  void Forget(const std::string& id);
  void EmptyTrash();

  const Options options_;
  const Tools tools_;
  std::atomic<bool> ending_ = false;
  StartQueue queue_;
  TaskLoader loader_;
  Retention retention_;
  std::map<std::string, Open, std::less<>> open_;
  std::map<std::string, std::weak_ptr<TaskStream>, std::less<>> streams_;
  std::map<std::string, std::vector<Answer>, std::less<>> making_;  // By key.
  // CLIs that were found while their tasks were made, by task. Each is used
  // only if its task can start at once.
  std::map<std::string, Cli, std::less<>> found_clis_;
  // Called when the loader has got that far.
  std::vector<absl::AnyInvocable<void()>> when_open_known_;
  std::vector<absl::AnyInvocable<void()>> when_listed_;
  std::vector<absl::AnyInvocable<void()>> when_live_known_;
  std::optional<Retention::Limits> retain_;  // When all are known.
  std::deque<std::string> to_open_;
  // Tasks that may live and have not been read: nothing is started before.
  std::set<std::string> unsettled_;
  // Tasks that were put or removed while the loader was at work.
  std::set<std::string> newer_;
  std::set<std::string> deleting_;
  std::map<std::string, std::string> troubles_;  // That rows show.
  std::set<std::string> old_rows_;
  // Processes that wait for input, by when they began to. One that is being
  // closed is none of them.
  std::map<std::string, int64_t, std::less<>> idle_;
  const std::unique_ptr<EventLoop::Timer> row_timer_;
  const std::unique_ptr<EventLoop::Timer> position_timer_;
  bool row_timer_is_set_ = false;
  bool position_timer_is_set_ = false;
  bool opening_some_ = false;
  bool starting_some_ = false;
  int64_t told_positions_ = 0;  // Version of the queue.
  int64_t made_ = 0;            // For keys of those that have none.
};

}  // namespace troika

#endif  // TROIKA_SERVER_TASKS_H_
