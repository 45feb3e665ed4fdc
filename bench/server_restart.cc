// Measures how soon a killed server is available again.
#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "bench/relay_run.h"
#include "bench/server_measures.h"
#include "bench/server_run.h"

namespace troika::bench {
namespace {

constexpr int kEnded = 10'000;
constexpr int kLiving = 200;
constexpr double kGoalMillis = 2000;

// Milliseconds since the start until each state was reached.
struct Back {
  std::vector<double> ready;     // The server reports that it is ready.
  std::vector<double> lists;     // GET /tasks is answered.
  std::vector<double> attached;  // All live tasks are running again.
  std::vector<double> rows;      // The index has all tasks.
};

enum class Index { kThere, kRemoved };

void RemoveIndex(const BenchServer& server) {
  std::error_code error;
  for (const char* end : {"", "-wal", "-shm"}) {
    std::filesystem::remove(server.home() + "/index.sqlite" + end, error);
  }
}

absl::Status Restart(BenchServer& server, Index index, Back* back) {
  server.Kill();
  if (index == Index::kRemoved) RemoveIndex(server);
  const int64_t begin = NowNanos();
  const auto add = [&](std::vector<double>* to) {
    to->push_back(static_cast<double>(NowNanos() - begin) * 1e-6);
  };
  RETURN_IF_ERROR(server.Launch());
  add(&back->ready);
  RETURN_IF_ERROR(server.Get("/api/v1/tasks").status());
  add(&back->lists);
  RETURN_IF_ERROR(server.WaitForMetric("troika_running_tasks ", kLiving));
  add(&back->attached);
  RETURN_IF_ERROR(server.WaitForMetric("troika_tasks{", kEnded + kLiving));
  add(&back->rows);
  return absl::OkStatus();
}

void PrintBack(const ServerOptions& options, absl::string_view name,
               const Back& back, std::optional<double> rows_at_most) {
  const auto print = [&](absl::string_view what,
                         const std::vector<double>& millis,
                         std::optional<double> at_most) {
    PrintServer(options, {.metric = absl::StrCat("restart.", name, ".", what),
                          .value = Median(millis),
                          .unit = "ms",
                          .at_most = at_most});
  };
  print("ready", back.ready, kGoalMillis);
  print("lists", back.lists, kGoalMillis);
  print("attached", back.attached, kGoalMillis);
  print("all_rows", back.rows, rows_at_most);
}

}  // namespace

absl::Status ReportRestart(const ServerOptions& options) {
  ASSIGN_OR_RETURN(const auto server,
                   BenchServer::Prepare({"--max-running", "400"}));
  RETURN_IF_ERROR(AddEnded(*server, kEnded));
  RETURN_IF_ERROR(server->WaitForMetric("troika_tasks{", kEnded));
  const AgentPlan hang = {.count = 10, .then = AgentPlan::Then::kHang};
  for (int i = 0; i < kLiving; ++i) {
    RETURN_IF_ERROR(server->Create(hang).status());
  }
  RETURN_IF_ERROR(
      server->WaitForMetric("troika_tasks{state=\"running\"}", kLiving));
  Back with, without;
  for (int round = 0; round < options.rounds; ++round) {
    RETURN_IF_ERROR(Restart(*server, Index::kThere, &with));
    RETURN_IF_ERROR(Restart(*server, Index::kRemoved, &without));
  }
  PrintBack(options, "index", with, kGoalMillis);
  PrintBack(options, "no_index", without, std::nullopt);
  return absl::OkStatus();
}

}  // namespace troika::bench
