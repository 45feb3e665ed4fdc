// Measures how soon, and how many, messages reach viewers.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "bench/pipe_chain.h"
#include "bench/relay_run.h"
#include "bench/server_measures.h"
#include "bench/server_stream.h"

namespace troika::bench {
namespace {

constexpr int kTicks = 500;
constexpr int kTickRate = 100;
constexpr int64_t kFlood = 100'000;
constexpr int64_t kStallNanos = 3'000'000'000;
constexpr double kSlowBytes = 5e6;  // Per second.
constexpr int kViewers = 100;
constexpr int kFanOutSeconds = 3;

absl::StatusOr<std::vector<EventStream>> OpenSome(const BenchServer& server,
                                                  const std::string& task,
                                                  int count) {
  std::vector<EventStream> streams;
  for (int i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(EventStream one, EventStream::Open(server, task));
    streams.push_back(std::move(one));
  }
  return streams;
}

// Indices of a flood's viewers in `streams`.
enum Viewer { kFast, kStalling, kSlow, kFloodViewers };

struct FloodSeen {
  double rate = 0;  // Events per second of the fast viewer.
  int64_t missed = 0;
};

bool MayRead(int viewer, int64_t since_nanos, int64_t bytes) {
  if (viewer == kStalling) return since_nanos > kStallNanos;
  return viewer == kFast ||
         static_cast<double>(bytes) <
             kSlowBytes * static_cast<double>(since_nanos) * 1e-9;
}

absl::StatusOr<FloodSeen> RunFlood() {
  ASSIGN_OR_RETURN(const auto server, BenchServer::Start({}));
  ASSIGN_OR_RETURN(const std::string task, server->Create({.count = kFlood}));
  ASSIGN_OR_RETURN(auto streams, OpenSome(*server, task, kFloodViewers));
  const int64_t begin = NowNanos();
  int64_t bytes[kFloodViewers] = {};
  int64_t first = 0;
  int64_t last = 0;
  const auto left = [&] {
    return std::count_if(streams.begin(), streams.end(),
                         [](const auto& one) { return one.next() <= kFlood; });
  };
  while (left() > 0) {
    pollfd fds[kFloodViewers];
    const int64_t since = NowNanos() - begin;
    if (since > int64_t{kPatienceMillis} * 1'000'000) break;
    for (int i = 0; i < kFloodViewers; ++i) {
      const bool wants = MayRead(i, since, bytes[i]);
      fds[i] = {.fd = wants ? streams[i].fd() : -1, .events = POLLIN};
    }
    poll(fds, kFloodViewers, 2);
    RETURN_IF_ERROR(CheckStop());
    for (int i = 0; i < kFloodViewers; ++i) {
      if (fds[i].fd < 0 || fds[i].revents == 0) continue;
      const int64_t had = streams[i].next();
      ASSIGN_OR_RETURN(const int64_t n,
                       streams[i].Read(i == kSlow ? 16 << 10 : 256 << 10,
                                       [](int64_t, int64_t) {}));
      bytes[i] += n;
      if (i != kFast || streams[i].next() == had) continue;
      last = NowNanos();
      if (first == 0) first = last;
    }
  }
  FloodSeen seen = {.rate =
                        kFlood / (static_cast<double>(last - first) * 1e-9)};
  for (const EventStream& stream : streams) {
    seen.missed +=
        stream.lost() + stream.repeated() + (kFlood + 1 - stream.next());
  }
  return seen;
}

absl::Status ReportFanOutAt(const ServerOptions& options, int rate,
                            double at_most_ms) {
  std::vector<double> p50, p99;
  int64_t missed = 0;
  for (int round = 0; round < options.rounds; ++round) {
    ASSIGN_OR_RETURN(const auto server, BenchServer::Start({}));
    const AgentPlan plan = {
        .count = rate * kFanOutSeconds, .bytes = 100, .rate = rate};
    ASSIGN_OR_RETURN(const std::string task, server->Create(plan));
    ASSIGN_OR_RETURN(auto streams, OpenSome(*server, task, kViewers));
    ASSIGN_OR_RETURN(const Seen seen, ReadAll(streams, plan.count));
    p50.push_back(Quantile(seen.micros, 0.5) * 1e-3);
    p99.push_back(Quantile(seen.micros, 0.99) * 1e-3);
    missed += seen.missed;
  }
  const std::string name = absl::StrCat("fanout.", rate);
  PrintServer(options,
              {.metric = name + ".p50", .value = Median(p50), .unit = "ms"});
  PrintServer(options, {.metric = name + ".p99",
                        .value = Median(p99),
                        .unit = "ms",
                        .at_most = at_most_ms});
  PrintServer(options, {.metric = name + ".missed",
                        .value = static_cast<double>(missed),
                        .unit = "messages",
                        .at_most = 0});
  return absl::OkStatus();
}

}  // namespace

absl::Status ReportLatency(const ServerOptions& options) {
  const AgentPlan plan = {.count = kTicks, .rate = kTickRate};
  std::vector<double> p50, p99, chain_p50, chain_p99;
  for (int round = 0; round < options.rounds; ++round) {
    ASSIGN_OR_RETURN(const std::vector<double> chain, PipeChainMicros(plan));
    chain_p50.push_back(Quantile(chain, 0.5));
    chain_p99.push_back(Quantile(chain, 0.99));
    ASSIGN_OR_RETURN(const auto server, BenchServer::Start({}));
    ASSIGN_OR_RETURN(const std::string task, server->Create(plan));
    ASSIGN_OR_RETURN(auto streams, OpenSome(*server, task, 1));
    ASSIGN_OR_RETURN(const Seen seen, ReadAll(streams, kTicks));
    if (seen.missed != 0) return absl::DataLossError("messages were missed");
    p50.push_back(Quantile(seen.micros, 0.5));
    p99.push_back(Quantile(seen.micros, 0.99));
  }
  PrintServer(options, {.metric = "latency.p50",
                        .value = Median(p50),
                        .unit = "us",
                        .baseline = "a chain of three pipes",
                        .ratio = Median(p50) / Median(chain_p50),
                        .ratio_at_most = 1.6});
  PrintServer(options, {.metric = "latency.p99",
                        .value = Median(p99),
                        .unit = "us",
                        .baseline = "a chain of three pipes",
                        .ratio = Median(p99) / Median(chain_p99)});
  return absl::OkStatus();
}

absl::Status ReportFlood(const ServerOptions& options) {
  std::vector<double> rates;
  int64_t missed = 0;
  for (int round = 0; round < options.rounds; ++round) {
    ASSIGN_OR_RETURN(const FloodSeen seen, RunFlood());
    rates.push_back(seen.rate);
    missed += seen.missed;
  }
  PrintServer(options, {.metric = "flood.fast",
                        .value = Median(rates),
                        .unit = "events/s",
                        .at_least = 100'000});
  PrintServer(options, {.metric = "flood.missed",
                        .value = static_cast<double>(missed),
                        .unit = "messages",
                        .at_most = 0});
  return absl::OkStatus();
}

absl::Status ReportFanOut(const ServerOptions& options) {
  RETURN_IF_ERROR(ReportFanOutAt(options, 1000, 40));
  return ReportFanOutAt(options, 10'000, 200);
}

}  // namespace troika::bench
