// Measures an agent that floods its stdout with tiny lines.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "bench/relay_run.h"
#include "bench/scale_measures.h"
#include "bench/server_http.h"

namespace troika::bench {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kFloodBytes = 18'000'000;
constexpr absl::Duration kFloodLimit = absl::Minutes(3);

// Total size and last change of files in a task's folder.
struct Files {
  int64_t bytes = 0;
  absl::Time changed = absl::InfinitePast();
};

Files FilesOf(const std::string& folder, absl::string_view prefix) {
  Files files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    struct stat info = {};
    if (absl::StartsWith(entry.path().filename().string(), prefix) &&
        stat(entry.path().c_str(), &info) == 0) {
      files.bytes += info.st_size;
      files.changed =
          std::max(files.changed, absl::TimeFromTimespec(info.st_mtim));
    }
  }
  return files;
}

absl::StatusOr<std::optional<absl::Time>> WaitUntilDone(
    const BenchServer& server, const std::string& task) {
  const absl::Time end = absl::Now() + kFloodLimit;
  while (absl::Now() < end) {
    RETURN_IF_ERROR(CheckStop());
    ASSIGN_OR_RETURN(const std::string json,
                     server.Get("/api/v1/tasks/" + task));
    ASSIGN_OR_RETURN(const std::string state, StringField(json, "state"));
    if (state == "done" || state == "failed") return absl::Now();
    usleep(20'000);
  }
  return std::nullopt;
}

}  // namespace

absl::Status ReportFloodOfLines(const ScaleOptions& options) {
  const int64_t printed = options.quick() ? kFloodBytes / 20 : kFloodBytes;
  ASSIGN_OR_RETURN(const auto server, BenchServer::Start({}));
  HealthProbe probe(server.get(), options.echo);
  ASSIGN_OR_RETURN(const std::string task,
                   server->Create({.count = printed / 2, .bytes = 1}));
  ASSIGN_OR_RETURN(const std::optional<absl::Time> done,
                   WaitUntilDone(*server, task));
  if (!done) server->Kill();
  const HealthProbe::Latencies latencies = probe.Stop();
  const std::string folder = absl::StrCat(server->home(), "/tasks/", task);
  const Files log = FilesOf(folder, "log.");
  const Files events = FilesOf(folder, "events.");
  const auto ratio = [&](absl::string_view name, int64_t bytes,
                         double at_most) {
    PrintScale(options, {.metric = absl::StrCat("flood.", name),
                         .value = static_cast<double>(bytes) /
                                  static_cast<double>(printed),
                         .unit = "bytes/B",
                         .at_most = at_most});
  };
  ratio("log", log.bytes, 3);
  ratio("events", events.bytes, 4);
  Figure lag = {.metric = "flood.lag", .unit = "ms"};
  if (done) lag.value = absl::ToDoubleMilliseconds(*done - log.changed);
  if (!done) lag.missing = NotReached(kFloodLimit);
  PrintScale(options, lag);
  PrintHealth(options, "flood", latencies);
  if (done) PrintHold(options, "flood", *server);
  return absl::OkStatus();
}

}  // namespace troika::bench
