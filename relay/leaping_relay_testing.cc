// A troika-relay for tests. Its clock leaps 8 hours ahead when the task's
// folder holds a file `leap`.
#include <fcntl.h>
#include <unistd.h>

#include "base/clock.h"
#include "relay/serve.h"

namespace {

class LeapingClock : public troika::SystemClock {
 public:
  absl::Time Now() override { return SystemClock::Now() + leapt_; }
  absl::Duration FollowRealTime() override {
    if (leapt_ != absl::ZeroDuration() ||
        faccessat(troika::relay::kDirFd, "leap", F_OK, 0) != 0) {
      return absl::ZeroDuration();
    }
    return leapt_ = absl::Hours(8);
  }

 private:
  absl::Duration leapt_;
};

}  // namespace

int main() {
  const pid_t pid = fork();
  if (pid != 0) _exit(pid < 0 ? 1 : 0);
  LeapingClock clock;
  return troika::relay::Serve(troika::relay::InheritedTask(), &clock);
}
