#include "server/spare_relays.h"

#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace troika {
namespace {

// The start of an agent's process takes about this long, and has the processor
// to itself meanwhile.
constexpr absl::Duration kDelay = absl::Milliseconds(20);

}  // namespace

SpareRelays::SpareRelays(EventLoop* loop, Pools* pools, std::string program)
    : pools_(*pools),
      program_(std::move(program)),
      timer_(loop->NewTimer([this] { StartOne(); })) {}

std::optional<relay::SpareRelay> SpareRelays::Take() {
  std::optional<relay::SpareRelay> taken;
  if (spare_ && spare_->waits()) taken = std::exchange(spare_, std::nullopt);
  if (!spare_ && !starting_ && !timer_->is_set()) timer_->SetIn(kDelay);
  return taken;
}

void SpareRelays::StartOne() {
  starting_ = true;
  pools_.work.RunFor<absl::StatusOr<relay::SpareRelay>>(
      [program = program_] { return relay::SpareRelay::Start(program); },
      [this, alive = std::weak_ptr<bool>(alive_)](
          absl::StatusOr<relay::SpareRelay> spare) {
        if (alive.expired()) return;
        starting_ = false;
        // If it failed, the next start is tried without one, and tells why.
        if (spare.ok()) spare_ = *std::move(spare);
      });
}

}  // namespace troika
