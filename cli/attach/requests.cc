#include "cli/attach/requests.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

namespace troika::cli {

Requests::Requests(const client::ServerAddress& address,
                   client::ApiOptions options, Clock* clock)
    : clock_(*clock),
      done_fd_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      api_(address, (options.cancelled = &cancelled_, std::move(options))),
      thread_([this] { Run(); }) {}

Requests::~Requests() {
  {
    MutexLock lock(&mutex_);
    cancelled_ = true;
  }
  changed_.SignalAll();
  thread_.join();
}

void Requests::Add(Work work) {
  since_.push_back(clock_.Awake());
  {
    MutexLock lock(&mutex_);
    work_.push_back(std::move(work));
  }
  changed_.Signal();
}

void Requests::Post(absl::AnyInvocable<void()> work) {
  {
    MutexLock lock(&mutex_);
    done_.push_back(std::move(work));
  }
  const uint64_t one = 1;
  (void)!write(done_fd_.get(), &one, sizeof(one));
}

void Requests::RunDone() {
  uint64_t count = 0;
  (void)!read(done_fd_.get(), &count, sizeof(count));
  std::deque<absl::AnyInvocable<void()>> done;
  {
    MutexLock lock(&mutex_);
    done.swap(done_);
  }
  for (auto& work : done) work();
}

void Requests::Run() {
  while (true) {
    Work work;
    {
      MutexLock lock(&mutex_);
      while (work_.empty() && !cancelled_) changed_.Wait(&mutex_);
      if (cancelled_) return;
      work = std::move(work_.front());
      work_.pop_front();
    }
    work(api_);
  }
}

}  // namespace troika::cli
