// The index of all tasks, whose callers don't wait for its file.
//
// SQLite runs on a thread of its own. Requests are done in order, so that a
// read sees every row that was put before it, also while rows can't be written.
// Searches that read many rows have another thread and connection, and hold up
// nobody.
//
//   index->Put({row});
//   index->Ask<std::optional<TaskRow>>(
//       [id](BufferedTaskStore& store) { return store.Get(id); },
//       [](absl::StatusOr<std::optional<TaskRow>> row) { ... });
#ifndef TROIKA_SERVER_TASK_INDEX_H_
#define TROIKA_SERVER_TASK_INDEX_H_

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/event_loop.h"
#include "base/mutex.h"
#include "base/thread_pool.h"
#include "store/buffered_task_store.h"

namespace troika {

// Loop thread only. Callbacks are called in later rounds of the loop, and none
// after the destructor.
class TaskIndex {
 public:
  template <typename T>
  using Done = absl::AnyInvocable<void(absl::StatusOr<T>)>;

  // Opens or makes the file. Blocks: for before the loop runs.
  // FailedPrecondition if a newer Troika made the file; any other trouble with
  // it is logged, and the index does without it (store/schema.h).
  static absl::StatusOr<std::unique_ptr<TaskIndex>> Open(EventLoop* loop,
                                                         std::string path);
  // Writes what is left, and waits for that.
  ~TaskIndex();
  TaskIndex(const TaskIndex&) = delete;
  TaskIndex& operator=(const TaskIndex&) = delete;

  // `on_lost` is called after the file was found to be damaged and was created
  // again:
  // all rows must be put again.
  void SetOnLost(absl::AnyInvocable<void()> on_lost) {
    on_lost_ = std::move(on_lost);
  }
  // Looks for damage in the whole file, in the background.
  void Check();

  // What tasks have spent within the last days when the index was opened; once.
  std::vector<TaskStore::Spent> TakeSpent() {
    return std::exchange(spent_, {});
  }

  void Put(std::vector<TaskRow> rows);
  void Remove(std::vector<std::string> ids);

  template <typename T>
  void Ask(absl::AnyInvocable<absl::StatusOr<T>(BufferedTaskStore&)> question,
           Done<T> done) {
    Run([this, question = std::move(question),
         done = std::move(done)](BufferedTaskStore& store) mutable {
      Deliver(question(store), std::move(done));
    });
  }
  // For what reads many rows. Sees all rows that have been put, unless they
  // can't be written.
  template <typename T>
  void Search(absl::AnyInvocable<absl::StatusOr<T>(TaskStore&)> question,
              Done<T> done) {
    Run([this, question = std::move(question),
         done = std::move(done)](BufferedTaskStore& store) mutable {
      Flush();
      if (!store.store().shared()) {
        return Deliver(question(store.store()), std::move(done));
      }
      RunReader([this, question = std::move(question),
                 done = std::move(done)](TaskStore& reader) mutable {
        Deliver(question(reader), std::move(done));
      });
    });
  }
  void List(TaskFilter filter, Encoding encoding, int page_size,
            std::string before_id, Done<TaskStore::Page> done);

 private:
  using Job = absl::AnyInvocable<void(BufferedTaskStore&)>;
  using ReaderJob = absl::AnyInvocable<void(TaskStore&)>;

  TaskIndex(EventLoop* loop, std::string path, TaskStore store);

  // From any thread.
  void Run(Job job);
  void RunReader(ReaderJob job);
  template <typename T>
  void Deliver(absl::StatusOr<T> result, Done<T> done) {
    if (absl::IsDataLoss(result.status())) OnDamage(result.status());
    loop_->Post([alive = alive_, result = std::move(result),
                 done = std::move(done)]() mutable {
      if (*alive) done(std::move(result));
    });
  }
  void OnDamage(const absl::Status& damage);

  // The index's thread.
  void Work();
  void Flush();
  void Recreate(const absl::Status& damage);

  EventLoop* const loop_;
  const std::string path_;
  // Shared with callbacks that were posted to the loop, whose thread owns it.
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  absl::AnyInvocable<void()> on_lost_;
  const std::unique_ptr<EventLoop::Timer> retry_timer_;

  Mutex mutex_;
  CondVar changed_;
  std::deque<Job> jobs_ ABSL_GUARDED_BY(mutex_);
  bool ending_ ABSL_GUARDED_BY(mutex_) = false;

  // For the index's thread only.
  BufferedTaskStore store_;
  std::string flush_error_;  // The last one that was logged.
  // For the reader's thread only. Opened when it is first needed, and again
  // after the file was replaced.
  std::optional<TaskStore> reader_;
  std::unique_ptr<ThreadPool> reader_pool_;
  std::thread thread_;
  std::vector<TaskStore::Spent> spent_;
};

}  // namespace troika

#endif  // TROIKA_SERVER_TASK_INDEX_H_
