// Measures what many tasks and viewers cost, and how soon tasks start then.
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "bench/relay_run.h"
#include "bench/server_measures.h"
#include "bench/server_stream.h"

namespace troika::bench {
namespace {

constexpr int64_t kHistory = 90'000;  // About 40 MB of events.
constexpr int kStalled = 50;
constexpr int kViewed = 100;
constexpr int kCrowd = 1000;
constexpr int kStarts = 100;
constexpr int64_t kStartEveryNanos = 100'000'000;
constexpr AgentPlan kHang = {.then = AgentPlan::Then::kHang};

double MegabytesOf(int64_t bytes) { return static_cast<double>(bytes) * 1e-6; }

// Waits until the memory has been stable for a while, at most ten seconds.
absl::StatusOr<int64_t> SettledBytes(const BenchServer& server) {
  ASSIGN_OR_RETURN(int64_t bytes, server.ResidentBytes());
  int same = 0;
  for (int i = 0; i < 100 && same < 5; ++i) {
    usleep(100'000);
    ASSIGN_OR_RETURN(const int64_t now, server.ResidentBytes());
    same = now == bytes ? same + 1 : 0;
    bytes = now;
  }
  return bytes;
}

struct Stalled {
  double growth = 0;
  double megabytes = 0;
};

absl::StatusOr<Stalled> RunStalled() {
  ASSIGN_OR_RETURN(const auto server, BenchServer::Start({}));
  ASSIGN_OR_RETURN(const std::string task, server->Create({.count = kHistory}));
  std::vector<EventStream> streams;
  {
    ASSIGN_OR_RETURN(EventStream fast, EventStream::Open(*server, task));
    streams.push_back(std::move(fast));
  }
  RETURN_IF_ERROR(ReadAll(streams, kHistory).status());
  streams.clear();
  RETURN_IF_ERROR(server->WaitForState(task, "done"));
  RETURN_IF_ERROR(SettledBytes(*server).status());
  ASSIGN_OR_RETURN(const int64_t before, server->AnonymousBytes());
  for (int i = 0; i < kStalled; ++i) {
    ASSIGN_OR_RETURN(EventStream one, EventStream::Open(*server, task));
    streams.push_back(std::move(one));
  }
  RETURN_IF_ERROR(server->WaitForMetric("troika_viewers ", kStalled));
  ASSIGN_OR_RETURN(const int64_t resident, SettledBytes(*server));
  ASSIGN_OR_RETURN(const int64_t after, server->AnonymousBytes());
  return Stalled{.growth = MegabytesOf(after - before),
                 .megabytes = MegabytesOf(resident)};
}

absl::StatusOr<double> ViewedMegabytes() {
  ASSIGN_OR_RETURN(const auto server,
                   BenchServer::Start({"--max-running", "200"}));
  std::vector<EventStream> streams;
  const AgentPlan plan = {.count = 2000, .then = AgentPlan::Then::kHang};
  for (int i = 0; i < kViewed; ++i) {
    ASSIGN_OR_RETURN(const std::string task, server->Create(plan));
    ASSIGN_OR_RETURN(EventStream one, EventStream::Open(*server, task));
    streams.push_back(std::move(one));
  }
  ASSIGN_OR_RETURN(const Seen seen, ReadAll(streams, plan.count));
  if (seen.missed != 0) return absl::DataLossError("messages were missed");
  ASSIGN_OR_RETURN(const int64_t bytes, SettledBytes(*server));
  return MegabytesOf(bytes);
}

struct Crowd {
  double seconds = 0;
  double megabytes = 0;
};

absl::StatusOr<Crowd> RunCrowd() {
  ASSIGN_OR_RETURN(const auto server,
                   BenchServer::Start({"--max-running", "2000"}));
  const int64_t begin = NowNanos();
  ASSIGN_OR_RETURN(HttpConnection connection, server->Connect());
  std::vector<HttpConnection> connections;
  connections.push_back(std::move(connection));
  RETURN_IF_ERROR(
      AskMany(connections, server->CreateRequest(kHang), kCrowd).status());
  RETURN_IF_ERROR(
      server->WaitForMetric("troika_tasks{state=\"running\"}", kCrowd));
  Crowd crowd = {.seconds = static_cast<double>(NowNanos() - begin) * 1e-9};
  ASSIGN_OR_RETURN(const int64_t bytes, SettledBytes(*server));
  crowd.megabytes = MegabytesOf(bytes);
  return crowd;
}

struct Starts {
  std::vector<double> to_agent;   // Milliseconds until the agent's main().
  std::vector<double> to_viewer;  // And until its first message is read.
};

absl::Status StartOne(const BenchServer& server, Starts* starts) {
  const int64_t begin = NowNanos();
  ASSIGN_OR_RETURN(const std::string task, server.Create({.count = 1}));
  std::vector<EventStream> streams;
  ASSIGN_OR_RETURN(EventStream one, EventStream::Open(server, task));
  streams.push_back(std::move(one));
  ASSIGN_OR_RETURN(const Seen seen, ReadAll(streams, 1));
  const auto since = [&](int64_t nanos) {
    return static_cast<double>(nanos - begin) * 1e-6;
  };
  starts->to_agent.push_back(since(streams[0].began_nanos()));
  starts->to_viewer.push_back(since(seen.first_nanos));
  return absl::OkStatus();
}

// Returns the milliseconds that the agent's start takes without the server.
absl::StatusOr<std::vector<double>> BareStarts() {
  std::vector<double> millis;
  for (int i = 0; i < kStarts; ++i) {
    const int64_t begin = NowNanos();
    ASSIGN_OR_RETURN(Child child, Child::Start({ServerAgentProgram(), "ticks",
                                                "1", "1000000"}));
    ASSIGN_OR_RETURN(const int64_t began, child.NextNumber());
    millis.push_back(static_cast<double>(began - begin) * 1e-6);
  }
  return millis;
}

enum class Company { kNone, kMany };

absl::StatusOr<Starts> RunStarts(Company company) {
  ASSIGN_OR_RETURN(const auto server,
                   BenchServer::Start({"--max-running", "2000"}));
  const int others = company == Company::kMany ? kViewed : 1;
  for (int i = 0; i < others; ++i) {
    // At least one, so that the CLI's version is known.
    RETURN_IF_ERROR(server->Create(kHang).status());
  }
  RETURN_IF_ERROR(
      server->WaitForMetric("troika_tasks{state=\"running\"}", others));
  Starts starts;
  int64_t next = NowNanos();
  for (int i = 0; i < kStarts; ++i) {
    RETURN_IF_ERROR(StartOne(*server, &starts));
    next += kStartEveryNanos;
    const int64_t now = NowNanos();
    if (next > now) usleep(static_cast<useconds_t>((next - now) / 1000));
  }
  return starts;
}

absl::Status ReportStartsIn(const ServerOptions& options,
                            absl::string_view name, Company company) {
  std::vector<double> p50, p99, seen_p50, seen_p99, bare_p50, bare_p99;
  for (int round = 0; round < options.rounds; ++round) {
    ASSIGN_OR_RETURN(const std::vector<double> bare, BareStarts());
    bare_p50.push_back(Quantile(bare, 0.5) * 1e3);
    bare_p99.push_back(Quantile(bare, 0.99) * 1e3);
    ASSIGN_OR_RETURN(const Starts starts, RunStarts(company));
    p50.push_back(Quantile(starts.to_agent, 0.5) * 1e3);
    p99.push_back(Quantile(starts.to_agent, 0.99) * 1e3);
    seen_p50.push_back(Quantile(starts.to_viewer, 0.5) * 1e3);
    seen_p99.push_back(Quantile(starts.to_viewer, 0.99) * 1e3);
  }
  const auto print =
      [&](absl::string_view what, const std::vector<double>& micros,
          const std::vector<double>& bare, std::optional<double> at_most) {
        PrintServer(options, {.metric = absl::StrCat("start.", name, ".", what),
                              .value = Median(micros),
                              .unit = "us",
                              .baseline = "a bare start",
                              .ratio = Median(micros) / Median(bare),
                              .at_most = at_most});
      };
  print("agent.p50", p50, bare_p50, 4000);
  print("agent.p99", p99, bare_p99, 20'000);
  print("viewer.p50", seen_p50, bare_p50, std::nullopt);
  print("viewer.p99", seen_p99, bare_p99, std::nullopt);
  return absl::OkStatus();
}

}  // namespace

absl::Status ReportStalled(const ServerOptions& options) {
  std::vector<double> growth, resident;
  for (int round = 0; round < options.rounds; ++round) {
    ASSIGN_OR_RETURN(const Stalled stalled, RunStalled());
    growth.push_back(stalled.growth);
    resident.push_back(stalled.megabytes);
  }
  PrintServer(options, {.metric = "stalled.growth",
                        .value = Median(growth),
                        .unit = "MB",
                        .at_most = 5});
  PrintServer(
      options,
      {.metric = "stalled.resident", .value = Median(resident), .unit = "MB"});
  return absl::OkStatus();
}

absl::Status ReportMany(const ServerOptions& options) {
  std::vector<double> viewed, seconds, megabytes;
  for (int round = 0; round < options.rounds; ++round) {
    ASSIGN_OR_RETURN(const double one, ViewedMegabytes());
    viewed.push_back(one);
  }
  PrintServer(options, {.metric = "many.100.resident",
                        .value = Median(viewed),
                        .unit = "MB",
                        .at_most = 40});
  // Measured once: it takes long, and other parts show the variation.
  ASSIGN_OR_RETURN(const Crowd crowd, RunCrowd());
  PrintServer(options, {.metric = "many.1000.until_all_run",
                        .value = crowd.seconds,
                        .unit = "s"});
  PrintServer(
      options,
      {.metric = "many.1000.resident", .value = crowd.megabytes, .unit = "MB"});
  return absl::OkStatus();
}

absl::Status ReportStart(const ServerOptions& options) {
  RETURN_IF_ERROR(ReportStartsIn(options, "idle", Company::kNone));
  return ReportStartsIn(options, "busy", Company::kMany);
}

}  // namespace troika::bench
