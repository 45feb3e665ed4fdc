// Keeps folders for tasks to come, so that less is to be made and synced when
// one is asked for.
#ifndef TROIKA_SERVER_SPARE_FOLDERS_H_
#define TROIKA_SERVER_SPARE_FOLDERS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "base/event_loop.h"
#include "server/pools.h"
#include "task/home.h"

namespace troika {

class SpareFolders {
 public:
  // All are borrowed. No folder is made before the first RefillSoon().
  SpareFolders(EventLoop* loop, Pools* pools, const Home* home);

  // Returns the path of a folder that Home::PrepareFolder() has made, or an
  // empty string. Thread-safe.
  std::string Take();
  // Replaces the folders that were taken, once this has not been called for a
  // while. Loop thread only.
  void RefillSoon();

 private:
  void MakeSome();

  Pools& pools_;
  const Home& home_;
  absl::Mutex mutex_;
  std::vector<std::string> spares_ ABSL_GUARDED_BY(mutex_);
  bool cleaned_ = false;
  bool making_ = false;
  const std::unique_ptr<EventLoop::Timer> timer_;
};

}  // namespace troika

#endif  // TROIKA_SERVER_SPARE_FOLDERS_H_
