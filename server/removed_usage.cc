#include "server/removed_usage.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <tuple>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/blocking.h"
#include "base/fd.h"
#include "base/fields.h"
#include "base/json_fields.h"
#include "base/read_file.h"
#include "base/status_macros.h"
#include "base/write_whole.h"

namespace troika {

// A line of the file.
struct RemovedTask {
  std::string task;
  absl::Time created;
  std::string harness;
  std::string model;
  int64_t input = 0;
  int64_t cached = 0;
  int64_t cache_write = 0;
  int64_t output = 0;
  int64_t reasoning = 0;
  int64_t cost_nano_usd = 0;
};
template <>
constexpr auto kFields<RemovedTask> =
    std::tuple{Field{"task", &RemovedTask::task},
               Field{"created", &RemovedTask::created},
               Field{"harness", &RemovedTask::harness},
               Field{"model", &RemovedTask::model},
               Field{"input", &RemovedTask::input},
               Field{"cached", &RemovedTask::cached},
               Field{"cache_write", &RemovedTask::cache_write},
               Field{"output", &RemovedTask::output},
               Field{"reasoning", &RemovedTask::reasoning},
               Field{"cost_nano_usd", &RemovedTask::cost_nano_usd}};

namespace {

// More than a million tasks.
constexpr size_t kMaxFile = size_t{1} << 28;

std::string PathIn(const Home& home) {
  return absl::StrCat(home.path(), "/removed_usage.v1");
}

// Returns the row of that day, harness and model, in their order.
TaskStore::UsageRow& RowOf(const RemovedTask& task, const std::string& day,
                           std::vector<TaskStore::UsageRow>* rows) {
  const auto wanted = std::tie(day, task.harness, task.model);
  const auto key = [](const TaskStore::UsageRow& row) {
    return std::tie(row.day, row.harness, row.model);
  };
  const auto at = std::lower_bound(
      rows->begin(), rows->end(), wanted,
      [&](const auto& row, const auto& other) { return key(row) < other; });
  if (at != rows->end() && key(*at) == wanted) return *at;
  return *rows->insert(
      at, {.harness = task.harness, .model = task.model, .day = day});
}

void AddTo(const RemovedTask& task, TaskStore::UsageRow* row) {
  ++row->tasks;
  row->input_tokens += task.input;
  row->cached_tokens += task.cached;
  row->cache_write_tokens += task.cache_write;
  row->output_tokens += task.output;
  row->reasoning_tokens += task.reasoning;
  row->cost_usd += static_cast<double>(task.cost_nano_usd) * 1e-9;
}

}  // namespace

absl::Status KeepUsage(const Home& home, absl::Span<const TaskRow> tasks) {
  AssertMayBlock("keeping the usage of deleted tasks");
  // A line that a crash has cut is ended first.
  std::string lines = "\n";
  for (const TaskRow& row : tasks) {
    absl::StrAppend(&lines,
                    json::ToJson(RemovedTask{
                        .task = row.id,
                        .created = row.created_at.value_or(absl::UnixEpoch()),
                        .harness = row.harness,
                        .model = row.model,
                        .input = row.input_tokens,
                        .cached = row.cached_tokens,
                        .cache_write = row.cache_write_tokens,
                        .output = row.output_tokens,
                        .reasoning = row.reasoning_tokens,
                        .cost_nano_usd = std::llround(row.cost_usd * 1e9)}),
                    "\n");
  }
  if (tasks.empty()) return absl::OkStatus();
  const std::string path = PathIn(home);
  const UniqueFd file(
      open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600));
  if (file.get() < 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("open ", path));
  }
  RETURN_IF_ERROR(WriteWhole(file.get(), lines, path));
  if (fdatasync(file.get()) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("sync ", path));
  }
  return absl::OkStatus();
}

absl::Status AddRemovedUsage(const Home& home, absl::Time since,
                             absl::Time until,
                             std::optional<absl::Duration> days,
                             std::vector<TaskStore::UsageRow>* rows) {
  AssertMayBlock("reading the usage of deleted tasks");
  const absl::StatusOr<std::string> text = ReadFileUpTo(PathIn(home), kMaxFile);
  if (absl::IsNotFound(text.status())) return absl::OkStatus();
  RETURN_IF_ERROR(text.status());
  json::Parser parser;
  std::set<std::string> seen;
  for (const absl::string_view line :
       absl::StrSplit(*text, '\n', absl::SkipEmpty())) {
    const absl::StatusOr<json::Value> value = parser.Parse(line);
    if (!value.ok() || !value->IsObject()) continue;
    RemovedTask task;
    json::FieldReader().Read(*value, &task);
    if (task.task.empty() || task.created < since || task.created >= until ||
        !seen.insert(task.task).second ||
        // The server was killed before it deleted the task.
        access(home.TaskPath(task.task).c_str(), F_OK) == 0) {
      continue;
    }
    const std::string day =
        days ? absl::FormatTime("%Y-%m-%d", task.created + *days,
                                absl::UTCTimeZone())
             : "";
    AddTo(task, &RowOf(task, day, rows));
  }
  return absl::OkStatus();
}

}  // namespace troika
