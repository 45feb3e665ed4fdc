// Keeps a relay that waits for a task, so that a task starts without the start
// of a relay.
#ifndef TROIKA_SERVER_SPARE_RELAYS_H_
#define TROIKA_SERVER_SPARE_RELAYS_H_

#include <memory>
#include <optional>
#include <string>

#include "base/event_loop.h"
#include "relay/spare.h"
#include "server/pools.h"

namespace troika {

// Loop thread only.
class SpareRelays {
 public:
  // `loop` and `pools` are borrowed. No relay is started before the first
  // Take().
  SpareRelays(EventLoop* loop, Pools* pools, std::string program);

  // Returns a relay that waits for a task, if there is one. Another is started
  // soon, when the task that this one is for has most of its start behind it.
  std::optional<relay::SpareRelay> Take();

 private:
  void StartOne();

  Pools& pools_;
  const std::string program_;
  std::optional<relay::SpareRelay> spare_;
  bool starting_ = false;
  const std::unique_ptr<EventLoop::Timer> timer_;
  // Shared with the job that starts a relay, which may end after us.
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace troika

#endif  // TROIKA_SERVER_SPARE_RELAYS_H_
