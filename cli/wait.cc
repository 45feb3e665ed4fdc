#include "cli/wait.h"

#include <algorithm>

namespace troika::cli {
namespace {

// Who waits longer than this looks again.
constexpr int64_t kMostMillis = 3600000;

}  // namespace

int64_t Sooner(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return a + b;
  return std::min(a, b);
}

bool Wait(std::vector<pollfd>* fds, int64_t wake_at, Clock& clock) {
  int64_t millis = -1;
  if (wake_at != 0) {
    const int64_t micros = std::max<int64_t>(0, wake_at - clock.AwakeMicros());
    millis = std::min(kMostMillis, (micros + 999) / 1000);
  }
  // A signal that ends it early is no matter: the caller looks in any case.
  return poll(fds->data(), fds->size(), static_cast<int>(millis)) > 0;
}

}  // namespace troika::cli
