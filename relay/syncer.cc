#include "relay/syncer.h"

#include <unistd.h>

namespace troika::relay {

Syncer::~Syncer() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Syncer::Request() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    wanted_ = true;
    if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
  }
  changed_.notify_one();
}

void Syncer::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return wanted_ || ending_; });
    if (ending_) return;
    wanted_ = false;
    lock.unlock();
    // An error can't be handled here; the last sync reports it.
    fdatasync(fd_);
    lock.lock();
  }
}

}  // namespace troika::relay
