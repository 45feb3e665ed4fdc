// Measures the cost of changes and events: viewers, rows, events read in full.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "base/fd.h"
#include "base/status_macros.h"
#include "bench/relay_run.h"
#include "bench/scale_measures.h"
#include "bench/server_http.h"

namespace troika::bench {
namespace {

constexpr int kBusy = 20;
constexpr int kRate = 5;  // Messages per second of a busy task.
constexpr int kSeconds = 8;
constexpr int kViewers = 100;
constexpr int kPrompts = 10;
constexpr size_t kPromptBytes = 60'000;
constexpr absl::Duration kReadLimit = absl::Seconds(60);
constexpr int kCutBytes = 40'000;  // Above 32 KiB, where texts are cut.

// A viewer of all tasks, which counts their changes.
class Viewer {
 public:
  static absl::StatusOr<Viewer> Open(const BenchServer& server) {
    ASSIGN_OR_RETURN(HttpConnection connection, server.Connect());
    RETURN_IF_ERROR(connection.Send(
        "GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nAccept: "
        "text/event-stream\r\n\r\n"));
    return Viewer(connection.Release());
  }

  int fd() const { return fd_.get(); }
  int64_t changes() const { return changes_; }

  // Reads the available bytes. An event begins with a line "event: task".
  void Read() {
    static char chunk[256 << 10];
    const ssize_t n = read(fd_.get(), chunk, sizeof(chunk));
    if (n <= 0) return;
    const std::string text = tail_ + std::string(chunk, n);
    constexpr absl::string_view kEvent = "event: task\n";
    size_t at = 0;
    for (size_t found = 0;
         (found = text.find(kEvent.data(), at, kEvent.size())) !=
         std::string::npos;) {
      ++changes_;
      at = found + kEvent.size();
    }
    tail_ = text.substr(
        std::max(at, text.size() - std::min(text.size(), kEvent.size() - 1)));
  }

 private:
  explicit Viewer(UniqueFd fd) : fd_(std::move(fd)) {}

  UniqueFd fd_;
  std::string tail_;
  int64_t changes_ = 0;
};

void ReadFor(std::vector<Viewer>& viewers, double millis) {
  std::vector<pollfd> fds;
  for (const Viewer& viewer : viewers) {
    fds.push_back({.fd = viewer.fd(), .events = POLLIN});
  }
  const int64_t begin = NowNanos();
  while (MillisSince(begin) < millis && CheckStop().ok()) {
    if (poll(fds.data(), fds.size(), 50) <= 0) continue;
    for (size_t i = 0; i < fds.size(); ++i) {
      if (fds[i].revents != 0) viewers[i].Read();
    }
  }
}

// Returns the microseconds of the server's CPU time per change of a task.
absl::StatusOr<double> CostOfChange(const BenchServer& server, int count) {
  std::vector<Viewer> viewers;
  for (int i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(Viewer one, Viewer::Open(server));
    viewers.push_back(std::move(one));
  }
  ReadFor(viewers, 1000);
  const int64_t seen = viewers[0].changes();
  ASSIGN_OR_RETURN(const double before, CpuMillis(server.pid()));
  ReadFor(viewers, kSeconds * 1000);
  ASSIGN_OR_RETURN(const double after, CpuMillis(server.pid()));
  const int64_t changes = viewers[0].changes() - seen;
  if (changes == 0) return absl::InternalError("no task has changed");
  return (after - before) * 1000 / static_cast<double>(changes);
}

absl::StatusOr<int64_t> WrittenBytes(pid_t pid) {
  std::ifstream file(absl::StrCat("/proc/", pid, "/io"));
  for (std::string line; std::getline(file, line);) {
    absl::string_view rest = line;
    int64_t bytes = 0;
    if (absl::ConsumePrefix(&rest, "wchar:") &&
        absl::SimpleAtoi(rest, &bytes)) {
      return bytes;
    }
  }
  return absl::NotFoundError("the bytes that the server wrote");
}

// Returns the ids of cut events, as the API lists them.
absl::StatusOr<std::vector<std::string>> CutEvents(const BenchServer& server,
                                                   const std::string& task,
                                                   size_t count) {
  std::vector<std::string> ids;
  std::string after;
  while (ids.size() < count) {
    ASSIGN_OR_RETURN(
        const std::string page,
        server.Get(absl::StrCat("/api/v1/tasks/", task, "/events?page_size=100",
                                after.empty() ? "" : "&after=", after)));
    const size_t had = ids.size();
    std::string last;
    for (const absl::string_view part : absl::StrSplit(page, "{\"id\":\"")) {
      if (!absl::ascii_isdigit(part.empty() ? 'x' : part[0])) continue;
      last = std::string(part.substr(0, part.find('"')));
      if (part.size() > 30'000) ids.push_back(last);
    }
    if (last.empty() || last == after) break;
    after = last;
    if (ids.size() == had && page.size() < 1000) break;
  }
  if (ids.size() > count) ids.resize(count);
  return ids;
}

// Measures the milliseconds per event, over those read in the time limit.
absl::StatusOr<Figure> ReadWhole(int count) {
  ASSIGN_OR_RETURN(const auto server, BenchServer::Start({}));
  ASSIGN_OR_RETURN(const std::string task,
                   server->Create({.count = count, .bytes = kCutBytes}));
  RETURN_IF_ERROR(server->WaitForState(task, "done"));
  ASSIGN_OR_RETURN(const std::vector<std::string> ids,
                   CutEvents(*server, task, count));
  if (ids.empty()) return absl::InternalError("no event was cut");
  ASSIGN_OR_RETURN(HttpConnection connection, server->Connect());
  const int64_t begin = NowNanos();
  size_t read = 0;
  for (; read < ids.size() &&
         MillisSince(begin) < absl::ToDoubleMilliseconds(kReadLimit);
       ++read) {
    RETURN_IF_ERROR(
        connection
            .Ask(RequestText("GET", absl::StrCat("/api/v1/tasks/", task,
                                                 "/events/", ids[read])))
            .status());
  }
  Figure figure = {.metric = absl::StrCat("cut.", count, ".one"),
                   .value = MillisSince(begin) / static_cast<double>(read),
                   .unit = "ms"};
  if (read < ids.size()) {
    figure.unit = absl::StrCat("ms (", read, " of ", ids.size(), " events; ",
                               NotReached(kReadLimit), ")");
  }
  return figure;
}

}  // namespace

absl::Status ReportViewers(const ScaleOptions& options) {
  const int tasks = options.quick() ? 50 : 1000;
  ASSIGN_OR_RETURN(const auto server,
                   BenchServer::Start({"--max-running", "2000"}));
  std::vector<HttpConnection> connections;
  {
    ASSIGN_OR_RETURN(HttpConnection one, server->Connect());
    connections.push_back(std::move(one));
  }
  const AgentPlan hang = {.then = AgentPlan::Then::kHang};
  // The agents print for longer than all measurements take.
  const AgentPlan busy = {.count = kRate * 600, .bytes = 60, .rate = kRate};
  RETURN_IF_ERROR(
      AskMany(connections, server->CreateRequest(hang), tasks - kBusy)
          .status());
  RETURN_IF_ERROR(
      AskMany(connections, server->CreateRequest(busy), kBusy).status());
  RETURN_IF_ERROR(
      server->WaitForMetric("troika_tasks{state=\"running\"}", tasks));
  ASSIGN_OR_RETURN(const double one, CostOfChange(*server, 1));
  ASSIGN_OR_RETURN(const double many, CostOfChange(*server, kViewers));
  PrintScale(options,
             {.metric = "viewers.1.change", .value = one, .unit = "us CPU"});
  PrintScale(options, {.metric = absl::StrCat("viewers.", kViewers, ".change"),
                       .value = many,
                       .unit = "us CPU",
                       .baseline = "that of one viewer",
                       .ratio = many / one,
                       .ratio_at_most = kViewers});
  PrintHold(options, "viewers", *server);
  return absl::OkStatus();
}

absl::Status ReportRows(const ScaleOptions& options) {
  ASSIGN_OR_RETURN(const auto server,
                   BenchServer::Start({"--max-running", "20"}));
  ASSIGN_OR_RETURN(HttpConnection connection, server->Connect());
  const std::string small =
      server->CreateRequest({.count = kRate * 600, .bytes = 60, .rate = kRate});
  std::string json = small.substr(small.find("\r\n\r\n") + 4);
  const std::string prompt = "\"prompt\":\"";
  json.insert(json.find(prompt) + prompt.size(), kPromptBytes, 'p');
  for (int i = 0; i < kPrompts; ++i) {
    RETURN_IF_ERROR(
        connection.Ask(RequestText("POST", "/api/v1/tasks", json)).status());
  }
  RETURN_IF_ERROR(
      server->WaitForMetric("troika_tasks{state=\"running\"}", kPrompts));
  ASSIGN_OR_RETURN(const int64_t before, WrittenBytes(server->pid()));
  const int64_t begin = NowNanos();
  usleep(kSeconds * 1'000'000);
  ASSIGN_OR_RETURN(const int64_t after, WrittenBytes(server->pid()));
  PrintScale(options,
             {.metric = "rows.written",
              .value = static_cast<double>(after - before) / MillisSince(begin),
              .unit = "kB/s"});
  return absl::OkStatus();
}

absl::Status ReportCutEvents(const ScaleOptions& options) {
  ASSIGN_OR_RETURN(const Figure few, ReadWhole(options.quick() ? 50 : 200));
  PrintScale(options, few);
  ASSIGN_OR_RETURN(Figure many, ReadWhole(options.quick() ? 200 : 2000));
  many.baseline = "that of fewer";
  many.ratio = many.value / few.value;
  many.ratio_at_most = 1.5;
  PrintScale(options, many);
  return absl::OkStatus();
}

}  // namespace troika::bench
