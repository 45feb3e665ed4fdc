// A troika-relay for tests, on a machine whose time is set 8 hours ahead when
// the task's folder holds a file `leap`.
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>

#include "base/clock.h"
#include "relay/serve.h"

namespace {

class LeapingClock : public troika::SystemClock {
 public:
  int64_t NowMicros() override { return SystemClock::NowMicros() + leapt_; }
  int64_t FollowRealTime() override {
    if (leapt_ != 0 || faccessat(troika::relay::kDirFd, "leap", F_OK, 0) != 0) {
      return 0;
    }
    return leapt_ = int64_t{8} * 3600 * 1000000;
  }

 private:
  int64_t leapt_ = 0;
};

}  // namespace

int main() {
  const pid_t pid = fork();
  if (pid != 0) _exit(pid < 0 ? 1 : 0);
  LeapingClock clock;
  return troika::relay::Serve(&clock);
}
