// Threads for blocking work, beside an event loop that must not block.
//
//   pool.RunFor<std::string>([path] { return Slurp(path); },
//                            [this](std::string text) { Show(text); });
#ifndef TROIKA_BASE_THREAD_POOL_H_
#define TROIKA_BASE_THREAD_POOL_H_

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "base/event_loop.h"
#include "base/mutex.h"

namespace troika {

// The loop's thread destroys the pool before the loop.
class ThreadPool {
 public:
  // Threads are started when there is work for them, at most that many.
  ThreadPool(EventLoop* loop, size_t max_threads)
      : loop_(loop), max_threads_(max_threads) {}
  // Drops the jobs that have not begun and waits for those that run. No `done`
  // runs any more.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Runs `job` on a thread of the pool, the oldest job first, and then `done`
  // on the loop's thread. Thread-safe.
  void Run(absl::AnyInvocable<void()> job, absl::AnyInvocable<void()> done);

  // Does the same, and passes the result of `job` to `done`.
  template <typename T>
  void RunFor(absl::AnyInvocable<T()> job, absl::AnyInvocable<void(T)> done) {
    // Shared, because it passes from one function to the other.
    auto result = std::make_shared<std::optional<T>>();
    Run([job = std::move(job), result]() mutable { result->emplace(job()); },
        [done = std::move(done), result]() mutable {
          done(*std::move(*result));
        });
  }

 private:
  struct Job {
    absl::AnyInvocable<void()> job;
    absl::AnyInvocable<void()> done;
  };

  void Work();

  EventLoop* const loop_;
  const size_t max_threads_;
  // Shared with tasks on the loop that may outlive the pool. Loop thread only.
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  Mutex mutex_;
  CondVar changed_;
  std::deque<Job> jobs_ ABSL_GUARDED_BY(mutex_);
  size_t idle_ ABSL_GUARDED_BY(mutex_) = 0;  // Threads that wait for a job.
  bool ending_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace troika

#endif  // TROIKA_BASE_THREAD_POOL_H_
