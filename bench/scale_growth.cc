// Measures a state folder with many ended tasks: a lost index, a cold start,
// searches, retention.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "bench/relay_run.h"
#include "bench/scale_measures.h"
#include "bench/scale_tasks.h"
#include "bench/server_http.h"

namespace troika::bench {
namespace {

namespace fs = std::filesystem;

constexpr absl::Duration kRebuildLimit = absl::Minutes(6);
constexpr absl::Duration kRetentionLimit = absl::Minutes(4);
constexpr int kColdStarts = 3;
constexpr int kSearches = 4;
constexpr double kRemovedShare = 0.57;
constexpr useconds_t kPollMicros = 200'000;

// Counts at one moment of a rebuild.
struct Progress {
  int64_t rows = 0;
  bool complete = false;
};

// Reads the number of rows in the index. The number of unread tasks would say
// less: it is small until the folder has been listed.
absl::StatusOr<Progress> ReadProgress(const BenchServer& server, int tasks) {
  ASSIGN_OR_RETURN(const int64_t rows, server.Metric("troika_tasks{"));
  return Progress{.rows = rows, .complete = rows >= tasks};
}

// Waits until there are `rows`, or all; false if the limit passes first.
absl::StatusOr<bool> WaitForRows(const BenchServer& server, int tasks,
                                 int64_t rows, absl::Duration limit) {
  const int64_t begin = NowNanos();
  while (MillisSince(begin) < absl::ToDoubleMilliseconds(limit)) {
    RETURN_IF_ERROR(CheckStop());
    ASSIGN_OR_RETURN(const Progress now, ReadProgress(server, tasks));
    if (now.complete || (rows < tasks && now.rows >= rows)) return true;
    usleep(kPollMicros);
  }
  return false;
}

void RemoveIndex(const BenchServer& server) {
  std::error_code error;
  for (const char* end : {"", "-wal", "-shm"}) {
    fs::remove(server.home() + "/index.sqlite" + end, error);
  }
}

// Removes the index and all event caches, so that only logs are left.
void RemoveCaches(const BenchServer& server) {
  RemoveIndex(server);
  std::error_code error;
  for (const auto& task :
       fs::directory_iterator(server.home() + "/tasks", error)) {
    for (const auto& file : fs::directory_iterator(task.path(), error)) {
      if (absl::StartsWith(file.path().filename().string(), "events.")) {
        fs::remove(file.path(), error);
      }
    }
  }
}

Figure Took(absl::string_view metric, std::optional<double> millis,
            absl::Duration limit, std::optional<double> at_most) {
  Figure figure = {
      .metric = std::string(metric), .unit = "ms", .at_most = at_most};
  if (millis) figure.value = *millis;
  if (!millis) figure.missing = NotReached(limit);
  return figure;
}

// Kills the server when it has half of the rows, and counts the rows that the
// next one must create again.
absl::Status ReportKilledRebuild(const ScaleOptions& options,
                                 BenchServer& server) {
  RETURN_IF_ERROR(server.Launch());
  ASSIGN_OR_RETURN(
      const bool half,
      WaitForRows(server, options.tasks, options.tasks / 2, kRebuildLimit / 2));
  Figure twice = {
      .metric = "rebuild.killed.done_twice", .unit = "% of all", .at_most = 1};
  if (half) {
    ASSIGN_OR_RETURN(const Progress before,
                     ReadProgress(server, options.tasks));
    server.Kill();
    RETURN_IF_ERROR(server.Launch());
    ASSIGN_OR_RETURN(const int64_t kept, server.Metric("troika_tasks{"));
    twice.value =
        static_cast<double>(std::max<int64_t>(before.rows - kept, 0)) * 100 /
        options.tasks;
  } else {
    twice.missing = absl::StrCat("half ", NotReached(kRebuildLimit / 2));
  }
  PrintScale(options, twice);
  server.Kill();
  return absl::OkStatus();
}

// Creates a task, as the command line does, retrying until it is accepted.
absl::StatusOr<std::optional<double>> MillisUntilAccepted(
    const BenchServer& server, int64_t begin, absl::Duration limit) {
  std::string request = server.CreateRequest({.count = 1});
  // `troika run` sends a key too.
  const std::string key = "\"idempotencyKey\":\"scale\",";
  const size_t body = request.find("\r\n\r\n") + 4;
  std::string json = request.substr(body);
  json.insert(1, key);
  request = RequestText("POST", "/api/v1/tasks", json);
  while (MillisSince(begin) < absl::ToDoubleMilliseconds(limit)) {
    RETURN_IF_ERROR(CheckStop());
    ASSIGN_OR_RETURN(HttpConnection connection, server.Connect());
    if (connection.Ask(request).ok()) return MillisSince(begin);
    usleep(kPollMicros);
  }
  return std::nullopt;
}

absl::Status ReportRebuild(const ScaleOptions& options, BenchServer& server) {
  HealthProbe probe(&server, options.echo);
  const int64_t begin = NowNanos();
  RETURN_IF_ERROR(server.Launch());
  const double listening = MillisSince(begin);
  PrintScale(options, Took("rebuild.listening", listening, {}, 500));
  ASSIGN_OR_RETURN(const std::optional<double> accepted,
                   MillisUntilAccepted(server, begin, kRebuildLimit));
  PrintScale(options,
             Took("rebuild.run_accepted", accepted, kRebuildLimit, 500));
  ASSIGN_OR_RETURN(
      const bool complete,
      WaitForRows(server, options.tasks, options.tasks, kRebuildLimit));
  const double all = MillisSince(begin);
  ASSIGN_OR_RETURN(const int64_t peak, server.PeakBytes());
  if (!complete) server.Kill();
  PrintScale(options, Took("rebuild.complete",
                           complete ? std::optional<double>(all) : std::nullopt,
                           kRebuildLimit, 60'000));
  PrintScale(options, {.metric = "rebuild.peak_memory",
                       .value = Megabytes(peak),
                       .unit = "MB",
                       .at_most = 60});
  PrintHealth(options, "rebuild", probe.Stop());
  if (!complete) return absl::DeadlineExceededError("make the index again");
  PrintHold(options, "rebuild", server);
  return absl::OkStatus();
}

absl::Status ReportColdStart(const ScaleOptions& options, BenchServer& server) {
  std::vector<double> healthy, listed, resident, own;
  for (int i = 0; i < kColdStarts; ++i) {
    server.Kill();
    const int64_t begin = NowNanos();
    RETURN_IF_ERROR(server.Launch());
    RETURN_IF_ERROR(server.Get("/healthz").status());
    healthy.push_back(MillisSince(begin));
    RETURN_IF_ERROR(server.Get("/api/v1/tasks").status());
    listed.push_back(MillisSince(begin));
    ASSIGN_OR_RETURN(const int64_t rss, server.ResidentBytes());
    ASSIGN_OR_RETURN(const int64_t alone, PrivateBytes({server.pid()}));
    resident.push_back(Megabytes(rss));
    own.push_back(Megabytes(alone));
  }
  PrintScale(options, Took("cold.healthz", Median(healthy), {}, 500));
  PrintScale(options, Took("cold.first_list", Median(listed), {}, {}));
  PrintScale(
      options,
      {.metric = "cold.resident", .value = Median(resident), .unit = "MB"});
  PrintScale(options,
             {.metric = "cold.private", .value = Median(own), .unit = "MB"});
  return absl::OkStatus();
}

absl::Status ReportSearches(const ScaleOptions& options,
                            const BenchServer& server) {
  HealthProbe probe(&server, options.echo);
  std::vector<double> millis(kSearches);
  std::vector<absl::Status> failed(kSearches);
  std::vector<std::thread> threads;
  for (int i = 0; i < kSearches; ++i) {
    threads.emplace_back([&, i] {
      const int64_t begin = NowNanos();
      // The text occurs nowhere, so every task is searched.
      failed[i] =
          server.Get(absl::StrCat("/api/v1/tasks?text=nowhere", i)).status();
      millis[i] = MillisSince(begin);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const absl::Status& status : failed) RETURN_IF_ERROR(status);
  PrintScale(options, Took("search.four.fastest", Quantile(millis, 0), {}, {}));
  PrintScale(options, Took("search.four.slowest", Quantile(millis, 1), {}, {}));
  PrintHealth(options, "search", probe.Stop());
  PrintHold(options, "search", server);
  return absl::OkStatus();
}

int64_t Folders(const BenchServer& server) {
  std::error_code error;
  const fs::directory_iterator all(server.home() + "/tasks", error);
  return std::distance(begin(all), end(all));
}

absl::Status ReportRetention(const ScaleOptions& options, BenchServer& server,
                             absl::Time newest, absl::Duration spacing) {
  server.Kill();
  const int64_t before = Folders(server);
  const auto removed = static_cast<int64_t>(options.tasks * kRemovedShare);
  const absl::Duration keep =
      absl::Now() - newest + spacing * (options.tasks - removed);
  HealthProbe probe(&server, options.echo);
  const int64_t begin = NowNanos();
  RETURN_IF_ERROR(server.Launch(
      {"--keep-for", absl::StrCat(absl::ToInt64Seconds(keep), "s")}));
  PrintScale(options, Took("retention.listening", MillisSince(begin), {}, 500));
  // 99 % suffice, because tasks may end later than they were created.
  const int64_t goal = before - removed * 99 / 100;
  std::optional<double> took;
  while (!took &&
         MillisSince(begin) < absl::ToDoubleMilliseconds(kRetentionLimit)) {
    RETURN_IF_ERROR(CheckStop());
    if (Folders(server) <= goal) took = MillisSince(begin);
    usleep(kPollMicros);
  }
  PrintScale(options, Took("retention.removed", took, kRetentionLimit, {}));
  if (!took) server.Kill();
  PrintHealth(options, "retention", probe.Stop());
  if (took) PrintHold(options, "retention", server);
  return absl::OkStatus();
}

}  // namespace

absl::Status ReportGrowth(const ScaleOptions& options) {
  ASSIGN_OR_RETURN(const auto server, BenchServer::Prepare({}));
  const TaskMix mix = {.ended = options.tasks,
                       .newest = absl::Now() - absl::Hours(1)};
  const int64_t begin = NowNanos();
  ASSIGN_OR_RETURN(const MadeTasks made, MakeTasks(server->home(), mix));
  PrintScale(options, {.metric = "growth.tasks", .value = double(made.tasks)});
  PrintScale(options, {.metric = "growth.logs",
                       .value = Megabytes(made.log_bytes),
                       .unit = "MB"});
  PrintScale(options, Took("growth.made", MillisSince(begin), {}, {}));
  RETURN_IF_ERROR(ReportKilledRebuild(options, *server));
  RemoveCaches(*server);
  RETURN_IF_ERROR(ReportRebuild(options, *server));
  RETURN_IF_ERROR(ReportColdStart(options, *server));
  RETURN_IF_ERROR(ReportSearches(options, *server));
  return ReportRetention(options, *server, mix.newest, mix.spacing);
}

}  // namespace troika::bench
