// What the server counts, as Prometheus reads it.
#ifndef TROIKA_SERVER_METRICS_H_
#define TROIKA_SERVER_METRICS_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace troika {

// Loop thread only.
class Metrics {
 public:
  // A request was answered by that route, or by none: "other".
  void CountRequest(absl::string_view route) {
    ++requests_[std::string(route)];
  }

  // What stands beside the counts, at the time of asking.
  struct Now {
    std::map<std::string, int64_t> tasks_by_state;
    int64_t open_tasks = 0;
    int64_t running = 0;
    int64_t queued = 0;
    int64_t viewers = 0;
    int64_t connections = 0;
    // For so long the loop did not look at anything else, since the last time.
    absl::Duration longest_hold;
  };
  std::string Text(const Now& now) const;

 private:
  std::map<std::string, int64_t> requests_;
};

}  // namespace troika

#endif  // TROIKA_SERVER_METRICS_H_
