// Measures calls of an MCP client while sessions stream, against the API alone.
#include <time.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "bench/relay_run.h"
#include "bench/server_measures.h"
#include "bench/server_run.h"

namespace troika::bench {
namespace {

constexpr int kSessions = 10;
constexpr int kMessagesPerSecond = 100;  // Of each session.
constexpr int kCallsPerSecond = 200;
constexpr int kSeconds = 5;

void SleepUntil(int64_t nanos) {
  const timespec until = {.tv_sec = nanos / 1'000'000'000,
                          .tv_nsec = nanos % 1'000'000'000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) !=
         0) {
  }
}

std::string StatusCall(const std::string& task) {
  return RequestText(
      "POST", "/mcp",
      absl::StrCat(R"({"jsonrpc":"2.0","id":1,"method":"tools/call",)",
                   R"("params":{"name":"codex_status","arguments":)",
                   R"({"sessionId":")", task, R"("}}})"));
}

// Milliseconds of each call, from the time at which it was due: a call that
// waits for a slow one before it is slow, too.
absl::StatusOr<std::vector<double>> AskAtRate(
    const BenchServer& server, const std::vector<std::string>& requests) {
  ASSIGN_OR_RETURN(HttpConnection connection, server.Connect());
  std::vector<double> millis;
  const int64_t begin = NowNanos();
  for (int i = 0; i < kSeconds * kCallsPerSecond; ++i) {
    RETURN_IF_ERROR(CheckStop());
    const int64_t due = begin + i * (int64_t{1'000'000'000} / kCallsPerSecond);
    SleepUntil(due);
    ASSIGN_OR_RETURN(
        const std::string body,
        connection.Ask(requests[static_cast<size_t>(i) % requests.size()]));
    if (body.find("running") == std::string::npos &&
        body.find("active") == std::string::npos) {
      return absl::InternalError(absl::StrCat("no session that runs: ", body));
    }
    millis.push_back(static_cast<double>(NowNanos() - due) * 1e-6);
  }
  std::sort(millis.begin(), millis.end());
  return millis;
}

double At(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<size_t>(share *
                                    static_cast<double>(sorted.size() - 1))];
}

}  // namespace

absl::Status ReportMcp(const ServerOptions& options) {
  std::vector<double> mcp, mcp_slow, api, api_slow;
  for (int round = 0; round < options.rounds; ++round) {
    ASSIGN_OR_RETURN(const auto server,
                     BenchServer::Start({"--max-running", "20"}));
    std::vector<std::string> calls, gets;
    for (int i = 0; i < kSessions; ++i) {
      ASSIGN_OR_RETURN(
          const std::string task,
          server->Create({.count = 1'000'000, .rate = kMessagesPerSecond}));
      RETURN_IF_ERROR(server->WaitForState(task, "running"));
      calls.push_back(StatusCall(task));
      gets.push_back(RequestText("GET", absl::StrCat("/api/v1/tasks/", task)));
    }
    ASSIGN_OR_RETURN(const auto called, AskAtRate(*server, calls));
    ASSIGN_OR_RETURN(const auto got, AskAtRate(*server, gets));
    mcp.push_back(At(called, 0.5));
    mcp_slow.push_back(At(called, 0.99));
    api.push_back(At(got, 0.5));
    api_slow.push_back(At(got, 0.99));
  }
  const auto print = [&](const char* metric, const std::vector<double>& one) {
    PrintServer(options,
                {.metric = metric, .value = Median(one), .unit = "ms"});
  };
  print("mcp.status_p50", mcp);
  print("mcp.status_p99", mcp_slow);
  print("mcp.api_p50", api);
  print("mcp.api_p99", api_slow);
  return absl::OkStatus();
}

}  // namespace troika::bench
