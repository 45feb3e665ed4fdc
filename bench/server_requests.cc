// Measures memory while idle and requests per second.
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "bench/relay_run.h"
#include "bench/server_measures.h"
#include "bench/server_run.h"

namespace troika::bench {
namespace {

constexpr int kRows = 10'000;
constexpr int kConnections = 8;
constexpr int kPages = 4000;
constexpr int kPosts = 1500;

enum class Socket { kUnix, kTcp };

absl::StatusOr<std::vector<HttpConnection>> ConnectSome(
    const BenchServer& server, Socket socket) {
  std::vector<HttpConnection> connections;
  for (int i = 0; i < kConnections; ++i) {
    ASSIGN_OR_RETURN(HttpConnection one, socket == Socket::kTcp
                                             ? server.ConnectTcp()
                                             : server.Connect());
    connections.push_back(std::move(one));
  }
  return connections;
}

absl::Status ReportPages(const ServerOptions& options,
                         const BenchServer& server) {
  ASSIGN_OR_RETURN(const std::string token, server.Token());
  const std::string request =
      RequestText("GET", "/api/v1/tasks?page_size=50", "", token);
  std::vector<double> local, tcp;
  for (int round = 0; round < options.rounds; ++round) {
    for (const Socket socket : {Socket::kUnix, Socket::kTcp}) {
      ASSIGN_OR_RETURN(auto connections, ConnectSome(server, socket));
      ASSIGN_OR_RETURN(const double rate,
                       AskMany(connections, request, kPages));
      (socket == Socket::kUnix ? local : tcp).push_back(rate);
    }
  }
  PrintServer(options, {.metric = "list.unix",
                        .value = Median(local),
                        .unit = "pages/s",
                        .at_least = 2000});
  PrintServer(options, {.metric = "list.tcp",
                        .value = Median(tcp),
                        .unit = "pages/s",
                        .at_least = 2000});
  return absl::OkStatus();
}

}  // namespace

absl::Status ReportIdle(const ServerOptions& options) {
  std::vector<double> resident, own;
  for (int round = 0; round < options.rounds; ++round) {
    ASSIGN_OR_RETURN(const auto server, BenchServer::Start({}));
    RETURN_IF_ERROR(server->Get("/api/v1/tasks").status());
    ASSIGN_OR_RETURN(const int64_t rss, server->ResidentBytes());
    ASSIGN_OR_RETURN(const int64_t alone, PrivateBytes({server->pid()}));
    resident.push_back(static_cast<double>(rss >> 10));
    own.push_back(static_cast<double>(alone >> 10));
  }
  PrintServer(options, {.metric = "idle.resident",
                        .value = Median(resident),
                        .unit = "KiB",
                        .at_most = 10 << 10});
  PrintServer(options,
              {.metric = "idle.private", .value = Median(own), .unit = "KiB"});
  return absl::OkStatus();
}

absl::Status ReportList(const ServerOptions& options) {
  ASSIGN_OR_RETURN(const auto server, BenchServer::Prepare({}));
  RETURN_IF_ERROR(AddEnded(*server, kRows));
  RETURN_IF_ERROR(server->WaitForMetric("troika_tasks{", kRows));
  return ReportPages(options, *server);
}

absl::Status ReportCreate(const ServerOptions& options) {
  std::vector<double> rates;
  for (int round = 0; round < options.rounds; ++round) {
    ASSIGN_OR_RETURN(
        const auto server,
        BenchServer::Start({"--max-running", "1", "--max-queued", "100000"}));
    const AgentPlan hang = {.then = AgentPlan::Then::kHang};
    ASSIGN_OR_RETURN(const std::string first, server->Create(hang));
    RETURN_IF_ERROR(server->WaitForState(first, "running"));
    ASSIGN_OR_RETURN(auto connections, ConnectSome(*server, Socket::kUnix));
    ASSIGN_OR_RETURN(const double rate,
                     AskMany(connections, server->CreateRequest(hang), kPosts));
    rates.push_back(rate);
  }
  PrintServer(options, {.metric = "create",
                        .value = Median(rates),
                        .unit = "tasks/s",
                        .at_least = 300});
  return absl::OkStatus();
}

}  // namespace troika::bench
