#include "server/spare_folders.h"

#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/event_file.h"

namespace troika {
namespace {

constexpr size_t kSpares = 2;
// Making one costs a flush of the disk, for which no task shall wait.
constexpr absl::Duration kQuiet = absl::Milliseconds(20);

}  // namespace

SpareFolders::SpareFolders(EventLoop* loop, Pools* pools, const Home* home)
    : pools_(*pools),
      home_(*home),
      timer_(loop->NewTimer([this] { MakeSome(); })) {}

std::string SpareFolders::Take() {
  const absl::MutexLock lock(&mutex_);
  if (spares_.empty()) return "";
  std::string path = std::move(spares_.back());
  spares_.pop_back();
  return path;
}

void SpareFolders::RefillSoon() { timer_->SetIn(kQuiet); }

void SpareFolders::MakeSome() {
  if (std::exchange(making_, true)) return timer_->SetIn(kQuiet);
  const bool clean = !std::exchange(cleaned_, true);
  size_t missing = 0;
  {
    const absl::MutexLock lock(&mutex_);
    missing = kSpares - spares_.size();
  }
  pools_.work.RunFor<std::vector<std::string>>(
      [&home = home_, clean, missing] {
        // Those of a server that was killed.
        if (clean) home.RemovePreparedFolders();
        std::vector<std::string> made;
        while (made.size() < missing) {
          absl::StatusOr<std::string> path = home.PrepareFolder({kEventsName});
          // Tasks are then made without one, and tell why they can't be.
          if (!path.ok()) break;
          made.push_back(*std::move(path));
        }
        return made;
      },
      [this](std::vector<std::string> made) {
        making_ = false;
        const absl::MutexLock lock(&mutex_);
        for (std::string& path : made) spares_.push_back(std::move(path));
      });
}

}  // namespace troika
