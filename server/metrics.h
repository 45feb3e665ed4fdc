// The server's counters and gauges, in the text format of Prometheus.
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

  // The gauges at the time of the request.
  struct Now {
    std::map<std::string, int64_t> tasks_by_state;
    int64_t open_tasks = 0;
    int64_t running = 0;
    int64_t queued = 0;
    int64_t viewers = 0;
    int64_t connections = 0;
    // The longest round of the loop since the last request.
    absl::Duration longest_hold;
  };
  std::string Text(const Now& now) const;

 private:
  std::map<std::string, int64_t> requests_;
};

}  // namespace troika

#endif  // TROIKA_SERVER_METRICS_H_
