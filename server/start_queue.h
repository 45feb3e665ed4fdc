// Which tasks may run now, and which wait for that, in the order in which their
// turns were asked for.
#ifndef TROIKA_SERVER_START_QUEUE_H_
#define TROIKA_SERVER_START_QUEUE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"

namespace troika {

struct StartLimits {
  int running = 10;
  std::map<std::string, int, std::less<>> running_of;  // By harness.
};

class StartQueue {
 public:
  explicit StartQueue(StartLimits limits) : limits_(std::move(limits)) {}

  // One that runs, or waits already, stays where it is.
  void Add(absl::string_view id, absl::string_view harness, int64_t asked_us);
  // It waits no longer, or runs no longer.
  void Remove(absl::string_view id);
  // It runs, whatever the limits say: its process lives.
  void SetRunning(absl::string_view id, absl::string_view harness);

  // The first one that may run now; it then counts as running.
  std::optional<std::string> Next();

  bool IsRunning(absl::string_view id) const {
    return running_.find(id) != running_.end();
  }
  bool IsWaiting(absl::string_view id) const {
    return places_.find(id) != places_.end();
  }
  // 1: the next one. Nothing where it does not wait.
  std::optional<int> Position(absl::string_view id) const;
  int waiting() const { return static_cast<int>(waiting_.size()); }
  int running() const { return static_cast<int>(running_.size()); }

 private:
  struct Place {
    int64_t asked_us = 0;
    std::string id;

    auto operator<=>(const Place&) const = default;
  };

  bool HasRoom(const std::string& harness) const;
  void StopWaiting(absl::string_view id);

  const StartLimits limits_;
  std::map<Place, std::string> waiting_;  // Harnesses, in order.
  std::map<std::string, Place, std::less<>> places_;
  std::map<std::string, std::string, std::less<>> running_;  // Harnesses.
  std::map<std::string, int, std::less<>> running_of_;
};

}  // namespace troika

#endif  // TROIKA_SERVER_START_QUEUE_H_
