#include "server/metrics.h"

#include <unistd.h>

#include <fstream>

#include "absl/strings/str_cat.h"

namespace troika {
namespace {

int64_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  int64_t all = 0;
  int64_t resident = 0;
  statm >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

class Page {
 public:
  void Begin(absl::string_view name, absl::string_view type,
             absl::string_view help) {
    absl::StrAppend(&text_, "# HELP ", name, " ", help, "\n# TYPE ", name, " ",
                    type, "\n");
  }
  void Value(absl::string_view name, int64_t value) {
    absl::StrAppend(&text_, name, " ", value, "\n");
  }
  void Value(absl::string_view name, absl::string_view label,
             absl::string_view of, int64_t value) {
    absl::StrAppend(&text_, name, "{", label, "=\"", of, "\"} ", value, "\n");
  }
  void Seconds(absl::string_view name, absl::string_view help,
               absl::Duration value) {
    Begin(name, "gauge", help);
    absl::StrAppend(&text_, name, " ", absl::ToDoubleSeconds(value), "\n");
  }
  void Gauge(absl::string_view name, absl::string_view help, int64_t value) {
    Begin(name, "gauge", help);
    Value(name, value);
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace

std::string Metrics::Text(const Now& now) const {
  Page page;
  page.Begin("troika_tasks", "gauge", "Tasks by their state.");
  for (const auto& [state, count] : now.tasks_by_state) {
    page.Value("troika_tasks", "state", state, count);
  }
  page.Gauge("troika_open_tasks", "Tasks whose logs are open.", now.open_tasks);
  page.Gauge("troika_running_tasks", "Tasks whose agents work.", now.running);
  page.Gauge("troika_queued_tasks", "Tasks that wait to run.", now.queued);
  page.Gauge("troika_viewers", "Streams of events that are open.", now.viewers);
  page.Gauge("troika_connections", "Connections that are open.",
             now.connections);
  page.Seconds("troika_loop_longest_hold_seconds",
               "Longest time that the event loop was held up since this was "
               "last asked for.",
               now.longest_hold);
  page.Gauge("process_resident_memory_bytes", "Memory in use.",
             ResidentBytes());
  page.Begin("troika_requests_total", "counter", "Requests by their route.");
  for (const auto& [route, count] : requests_) {
    page.Value("troika_requests_total", "route", route, count);
  }
  return page.Take();
}

}  // namespace troika
