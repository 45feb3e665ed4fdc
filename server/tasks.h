// All tasks of a state folder: opens those that need it, keeps the index of
// all, and lets no more of them run than may.
#ifndef TROIKA_SERVER_TASKS_H_
#define TROIKA_SERVER_TASKS_H_

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/environment.h"
#include "base/clock.h"
#include "base/event_loop.h"
#include "base/thread_pool.h"
#include "dto/troika.pb.h"
#include "server/active_task.h"
#include "server/changes.h"
#include "server/start_queue.h"
#include "server/task_stream.h"
#include "store/task_store.h"
#include "task/home.h"
#include "task/request.h"

namespace troika {

// Loop thread only.
class Tasks : private ActiveTask::Owner {
 public:
  struct Options {
    StartLimits limits;
    int max_queued = 10000;
  };
  // All borrowed.
  struct Tools {
    EventLoop* loop = nullptr;
    ThreadPool* pool = nullptr;        // For what takes a moment,
    ThreadPool* probe_pool = nullptr;  // for CLIs, which may hang,
    ThreadPool* log_pool = nullptr;    // and for what is long.
    Clock* clock = nullptr;
    const Home* home = nullptr;
    TaskStore* store = nullptr;
    Changes* changes = nullptr;
    std::string relay_program;
  };
  using Answer = absl::AnyInvocable<void(absl::StatusOr<v1::Task>)>;

  Tasks(Options options, Tools tools);
  ~Tasks() override;

  // Finds the tasks that there are: takes up those that live, queues those that
  // wait, and computes rows that are missing or behind. What takes long goes on
  // within the loop.
  absl::Status Begin();

  // A key that was seen answers with the task of the first.
  void Create(TaskRequest request, Environment environment, Answer answer);
  // Asks something of a task, and answers with it when that is in its log.
  void Ask(const std::string& id, ActiveTask::Command command, Answer answer);
  // Refused where it lives or waits.
  void Delete(const std::string& id,
              absl::AnyInvocable<void(absl::Status)> answer);

  // By an id, the beginning of one that no other has, or `latest`.
  absl::StatusOr<std::string> Find(absl::string_view name);
  absl::StatusOr<v1::Task> Get(const std::string& id);
  // Its events. They may still be read from the log: caught_up() tells.
  absl::StatusOr<std::shared_ptr<TaskStream>> Stream(const std::string& id);
  // Of rows that are as new as can be.
  absl::StatusOr<TaskStore*> Rows();
  // ResourceExhausted where no more tasks may wait.
  absl::Status CheckQueue() const;

  // The task whose relay this process is; empty: none of ours.
  std::string TaskOfRelay(pid_t pid) const;

  struct Counts {
    size_t open = 0;
    size_t loading = 0;
    size_t viewers = 0;
    int running = 0;
    int queued = 0;
  };
  Counts counts() const;
  // Nothing lives, waits or is watched.
  bool idle() const;
  // Nobody has heard of them for a while.
  void Beat();
  // Writes what is known.
  void Flush();
  // Forgets ended tasks, the oldest first, that ended before that or are more
  // than fit; 0: no such limit.
  void Retain(int64_t ended_before_us, int64_t max_bytes);

 private:
  // What is known of an open task besides.
  struct Open {
    std::unique_ptr<ActiveTask> task;
    std::string shown_status;  // As its row says.
    bool row_is_old = false;
    bool closing = false;
  };

  void OnWantsStart(ActiveTask& task) override;
  void OnChanged(ActiveTask& task) override;
  void OnRest(ActiveTask& task) override;

  absl::Status LoadEntries();
  void LoadMore();
  void LoadSoon();
  // What could not be opened, as too much is open or the disk is full, is no
  // lost task: it is tried again.
  void TryAgain(const std::string& id);
  absl::StatusOr<ActiveTask*> Activate(const std::string& id);
  absl::StatusOr<std::shared_ptr<TaskStream>> OpenStream(
      const std::string& id, const TaskFolder& folder);
  ActiveTask* /*nullable*/ ActiveOf(absl::string_view id) const;
  // Looks for the harness's CLI.
  void Probe(Harness harness, Environment environment,
             absl::AnyInvocable<void(absl::StatusOr<Cli>)> found);
  void Make(TaskRequest request, Environment environment,
            absl::StatusOr<Cli> cli, const std::string& key);
  void OnMade(const std::string& id, const Cli& cli, const std::string& key);
  void AnswerMade(const std::string& key, absl::StatusOr<v1::Task> task);
  void FindCliFor(ActiveTask& task);
  void StartSome();
  void CloseSoon(const std::string& id);
  void Close(const std::string& id);
  void CountIn(const ActiveTask& task);
  // More idle processes than may run are closed, the oldest first.
  void CloseIdle();
  // The task has been read, or can't be.
  void Settle(const std::string& id);
  bool IsLoading(const std::string& id) const;
  // Its row, as new as it is known.
  absl::StatusOr<std::optional<TaskRow>> RowOf(const std::string& id);
  absl::Status PutRows();
  void FlushSoon(absl::Duration delay);
  void PutRow(Open& open);
  // A task whose folder or log is gone.
  void PutLost(const std::string& id, absl::string_view reason);
  void Remove(const std::string& id);

  const Options options_;
  const Tools tools_;
  StartQueue queue_;
  std::map<std::string, Open, std::less<>> open_;
  std::map<std::string, std::weak_ptr<TaskStream>, std::less<>> streams_;
  std::map<std::string, std::vector<Answer>, std::less<>> making_;
  // CLIs that were found while their tasks were made. Kept, by the task's id,
  // only until it is known whether the task can start at once.
  std::map<std::string, Cli, std::less<>> found_clis_;
  std::deque<std::string> to_load_;
  std::set<std::string> loading_;
  // Found at the start, that may live or wait: nothing is started before they
  // have been read.
  std::set<std::string> unsettled_;
  std::set<std::string> rowless_;  // Of which nothing is known yet.
  std::set<std::string> old_rows_;
  std::map<std::string, TaskRow, std::less<>> rows_;  // To be put.
  std::string put_error_;                             // That was told.
  // Processes that wait for input, by when they began to.
  // One that is being closed is none of them.
  std::map<std::string, int64_t, std::less<>> idle_;
  std::unique_ptr<EventLoop::Timer> flush_timer_;
  std::unique_ptr<EventLoop::Timer> retry_timer_;
  bool flush_is_set_ = false;
  bool load_is_posted_ = false;
  bool starting_some_ = false;
  int64_t made_ = 0;  // For keys of those that have none.
};

}  // namespace troika

#endif  // TROIKA_SERVER_TASKS_H_
