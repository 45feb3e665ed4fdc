// Brings the index up to date with the logs, in the background.
//
// At the start, tasks that had not ended are read first. Then the folder is
// compared with the index, row by row. The head and the lock of each task that
// has no row, or an old one, are read, which is quick and finds all live
// processes and all idempotency keys; then their logs are read, the newest
// first. Every step is a bounded piece of work on a pool's thread, and the next
// one waits until the index has taken the rows of the last: memory is bounded,
// and a server that is killed goes on where it was.
#ifndef TROIKA_SERVER_TASK_LOADER_H_
#define TROIKA_SERVER_TASK_LOADER_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/strings/string_view.h"
#include "base/event_loop.h"
#include "server/load_task.h"
#include "server/task_tools.h"

namespace troika {

// Loop thread only.
class TaskLoader {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    // The tasks as they were read, which the owner may know better by now.
    virtual void OnLoaded(std::vector<LoadedTask> tasks) = 0;
    // Tasks whose logs are locked: to be opened.
    virtual void OnAlive(std::vector<std::string> ids) = 0;
    // Ended tasks whose folders were removed.
    virtual void OnRemoved(std::vector<std::string> ids) = 0;
    // A phase is over.
    virtual void OnProgress() = 0;
  };

  TaskLoader(const TaskTools* tools, Owner* owner);

  // Begins, or begins again after the index was lost.
  void Begin();
  // Reads a task again in a moment, because it can't be read now.
  void Retry(const std::string& id);
  // Remembers, until the loader is done, that more is known of a task than
  // what it has read.
  void Supersede(const std::string& id) {
    if (!done()) superseded_.insert(id);
  }
  bool IsSuperseded(const std::string& id) const {
    return superseded_.count(id) > 0;
  }

  enum class Phase {
    kReadOpen,  // Reads the tasks that have not ended, as the index has it.
    kList,      // Lists the folder. Tasks made later are not mixed up with it.
    kCompare,
    kProbe,  // Finds all live processes and all idempotency keys.
    kRead,
    kDone,
  };
  // Calls `then` when the phase is over, which may be within this call.
  void WhenOver(Phase phase, absl::AnyInvocable<void()> then);
  bool live_tasks_known() const { return phase_ > Phase::kProbe; }
  bool done() const { return phase_ == Phase::kDone; }
  // How many tasks are still to be read, as far as that is known.
  size_t remaining() const;
  bool has_retries() const { return !retries_.empty(); }

  // The task with that key among those that have no row yet.
  std::optional<std::string> FindKey(absl::string_view key) const;

 private:
  // The tasks of the folder, sorted, and how far they have been compared.
  struct Listing {
    std::vector<std::string> ids;
    size_t next = 0;
  };
  struct Compared {
    std::vector<std::string> behind;   // Without a row, or with an old one.
    std::vector<std::string> removed;  // Without a folder.
  };

  static Compared Compare(const Home& home, Listing* listing,
                          const std::vector<TaskStore::Entry>& entries);
  void List();
  void ComparePage(std::string after);
  void OnCompared(Compared compared, std::string next_after);
  void Probe();
  void Read();
  void ReadDone(std::vector<LoadedTask> tasks);
  void Advance();
  void RetrySome();
  void OnPhaseOver();
  // Whether a callback is of a run that Begin() has ended.
  bool IsOld(int64_t run) const { return run != run_; }

  const TaskTools& tools_;
  Owner& owner_;
  int64_t run_ = 0;
  Phase phase_ = Phase::kReadOpen;
  std::shared_ptr<Listing> listing_;  // Shared with jobs of the pool.
  std::deque<std::string> to_probe_;
  std::deque<std::string> to_read_;
  std::map<std::string, std::string, std::less<>>
      keys_;  // Ids of tasks to read.
  std::set<std::string> retries_;
  std::set<std::string> superseded_;
  std::vector<std::pair<Phase, absl::AnyInvocable<void()>>> waiting_;
  const std::unique_ptr<EventLoop::Timer> retry_timer_;
  int in_flight_ = 0;  // Jobs of this run.
};

}  // namespace troika

#endif  // TROIKA_SERVER_TASK_LOADER_H_
