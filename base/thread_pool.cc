#include "base/thread_pool.h"

#include <utility>

namespace troika {

ThreadPool::~ThreadPool() {
  *alive_ = false;
  std::deque<Job> dropped;
  std::vector<std::thread> threads;
  {
    MutexLock lock(&mutex_);
    ending_ = true;
    dropped.swap(jobs_);
    threads.swap(threads_);
  }
  // Without the lock: destructors of captures may do anything.
  dropped.clear();
  changed_.SignalAll();
  for (std::thread& thread : threads) thread.join();
}

void ThreadPool::Run(absl::AnyInvocable<void()> job,
                     absl::AnyInvocable<void()> done) {
  {
    MutexLock lock(&mutex_);
    if (ending_) return;
    jobs_.push_back({std::move(job), std::move(done)});
    if (jobs_.size() > idle_ && threads_.size() < max_threads_) {
      threads_.emplace_back([this] { Work(); });
    }
  }
  changed_.Signal();
}

void ThreadPool::Work() {
  while (true) {
    Job job;
    {
      MutexLock lock(&mutex_);
      ++idle_;
      while (jobs_.empty() && !ending_) changed_.Wait(&mutex_);
      --idle_;
      if (ending_) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    job.job();
    job.job = nullptr;
    loop_->Post([alive = alive_, done = std::move(job.done)]() mutable {
      if (*alive) done();
    });
  }
}

}  // namespace troika
