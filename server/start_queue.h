// Decides which tasks may run now, and keeps the others in the order in which
// their turns were asked for.
//
// Every operation takes O(log n) in the number of waiting tasks.
#ifndef TROIKA_SERVER_START_QUEUE_H_
#define TROIKA_SERVER_START_QUEUE_H_

#include <compare>
#include <cstdint>
#include <ext/pb_ds/assoc_container.hpp>
#include <ext/pb_ds/tree_policy.hpp>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace troika {

struct StartLimits {
  int running = 10;
  std::map<std::string, int, std::less<>> running_of;  // By harness.
};

class StartQueue {
 public:
  explicit StartQueue(StartLimits limits) : limits_(std::move(limits)) {}

  // Does nothing to a task that runs or waits already.
  void Add(absl::string_view id, absl::string_view harness, absl::Time asked);
  // The task neither waits nor runs any more.
  void Remove(absl::string_view id);
  // Counts the task as running even above the limits, because its process is
  // alive.
  void SetRunning(absl::string_view id, absl::string_view harness);

  // Keeps a place for a task that is about to run and must not wait: it counts
  // as a running one that is called `place`, until it is removed or taken.
  // ResourceExhausted if no more tasks may run.
  absl::Status Reserve(absl::string_view place, absl::string_view harness);
  // Gives the place to the task, which then runs. False if there is none.
  bool TakePlace(absl::string_view place, absl::string_view id);

  // The first task that may run now, which then counts as running.
  std::optional<std::string> Next();

  bool IsRunning(absl::string_view id) const {
    return running_.find(id) != running_.end();
  }
  bool IsWaiting(absl::string_view id) const {
    return waiting_.find(id) != waiting_.end();
  }
  // 1 for the task that is next, or nothing if the task does not wait.
  std::optional<int> Position(absl::string_view id) const;
  // Rises whenever the position of some waiting task may have changed.
  int64_t version() const { return version_; }
  int waiting() const { return static_cast<int>(waiting_.size()); }
  int running() const { return static_cast<int>(running_.size()); }

 private:
  struct QueueKey {
    absl::Time asked;
    std::string id;

    std::strong_ordering operator<=>(const QueueKey&) const = default;
  };
  struct Entry {
    QueueKey key;
    std::string harness;
  };
  // A red-black tree that also tells the rank of a key.
  using Order = __gnu_pbds::tree<QueueKey, __gnu_pbds::null_type,
                                 std::less<QueueKey>, __gnu_pbds::rb_tree_tag,
                                 __gnu_pbds::tree_order_statistics_node_update>;

  int RunningOf(absl::string_view harness) const;
  bool HasRoom(absl::string_view harness) const;
  void StopWaiting(absl::string_view id);
  void Wait(Entry entry);

  const StartLimits limits_;
  std::map<std::string, Entry, std::less<>> waiting_;  // By task.
  Order order_;                                        // All that wait.
  std::map<std::string, std::set<QueueKey>, std::less<>>
      order_of_;  // By harness.
  std::map<std::string, Entry, std::less<>> running_;
  std::map<std::string, int, std::less<>> running_of_;
  int64_t version_ = 0;
};

}  // namespace troika

#endif  // TROIKA_SERVER_START_QUEUE_H_
