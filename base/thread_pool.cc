#include "base/thread_pool.h"

#include <utility>

namespace troika {

ThreadPool::ThreadPool(EventLoop* loop, int threads) : loop_(loop) {
  for (int i = 0; i < threads; ++i) {
    threads_.emplace_back([this] { Work(); });
  }
}

ThreadPool::~ThreadPool() {
  *alive_ = false;
  std::deque<Job> dropped;
  {
    MutexLock lock(&mutex_);
    ending_ = true;
    dropped.swap(jobs_);
  }
  // Without the lock: destructors of captures may do anything.
  dropped.clear();
  changed_.SignalAll();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::Run(absl::AnyInvocable<void()> job,
                     absl::AnyInvocable<void()> done) {
  {
    MutexLock lock(&mutex_);
    jobs_.push_back({std::move(job), std::move(done)});
  }
  changed_.Signal();
}

void ThreadPool::Work() {
  while (true) {
    Job job;
    {
      MutexLock lock(&mutex_);
      while (jobs_.empty() && !ending_) changed_.Wait(&mutex_);
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
