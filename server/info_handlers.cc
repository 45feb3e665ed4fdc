// Handlers that describe the server and what its tasks have used.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "base/version.h"
#include "dto/proto_fields.h"
#include "server/hooks.h"
#include "server/removed_usage.h"
#include "server/routes.h"

namespace troika {
namespace {

void AddTo(const TaskStore::UsageRow& row, v1::UsageResponse::Row* to) {
  to->set_tasks(to->tasks() + static_cast<int>(row.tasks));
  to->set_cost_usd(to->cost_usd() + row.cost_usd);
  v1::TokenCounts& tokens = *to->mutable_tokens();
  tokens.set_input_tokens(tokens.input_tokens() + row.input_tokens);
  tokens.set_cached_input_tokens(tokens.cached_input_tokens() +
                                 row.cached_tokens);
  tokens.set_cache_write_input_tokens(tokens.cache_write_input_tokens() +
                                      row.cache_write_tokens);
  tokens.set_output_tokens(tokens.output_tokens() + row.output_tokens);
  tokens.set_reasoning_output_tokens(tokens.reasoning_output_tokens() +
                                     row.reasoning_tokens);
}

v1::UsageResponse SumUp(const std::vector<TaskStore::UsageRow>& rows) {
  v1::UsageResponse response;
  response.mutable_total();
  for (const TaskStore::UsageRow& row : rows) {
    v1::UsageResponse::Row& to = *response.add_rows();
    to.set_harness(row.harness);
    to.set_model(row.model);
    to.set_day(row.day);
    AddTo(row, &to);
    AddTo(row, response.mutable_total());
  }
  return response;
}

int64_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  int64_t all = 0;
  int64_t resident = 0;
  statm >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

// Counters and gauges in the text format of Prometheus.
class MetricsPage {
 public:
  void Begin(absl::string_view name, absl::string_view type,
             absl::string_view help) {
    absl::StrAppend(&text_, "# HELP ", name, " ", help, "\n# TYPE ", name, " ",
                    type, "\n");
  }
  void Value(absl::string_view name, absl::string_view label,
             absl::string_view of, int64_t value) {
    absl::StrAppend(&text_, name, "{", label, "=\"", of, "\"} ", value, "\n");
  }
  template <typename Number>
  void Gauge(absl::string_view name, absl::string_view help, Number value) {
    Begin(name, "gauge", help);
    absl::StrAppend(&text_, name, " ", value, "\n");
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string MetricsText(const ApiTools& api,
                        const std::map<std::string, int64_t>& by_state) {
  const OpenTasks& open = api.tasks->open();
  MetricsPage page;
  page.Begin("troika_tasks", "gauge", "Tasks by their state.");
  for (const auto& [state, count] : by_state) {
    page.Value("troika_tasks", "state", state, count);
  }
  page.Gauge("troika_open_tasks", "Tasks whose logs are open.", open.size());
  page.Gauge("troika_running_tasks", "Tasks whose agents work.",
             api.tasks->running());
  page.Gauge("troika_queued_tasks", "Tasks that wait to run.",
             api.tasks->queued());
  page.Gauge("troika_viewers", "Streams of events that are open.",
             open.streams().viewers() + api.changes->viewers().size());
  page.Gauge("troika_connections", "Connections that are open.",
             api.connections());
  const HookStore& hooks = api.hooks->store();
  page.Gauge("troika_hooks_pending", "Events that hooks are to be told of.",
             hooks.pending().size());
  HookCounts counts;
  for (const auto& [hook, of_hook] : hooks.counts()) {
    counts.delivered += of_hook.delivered;
    counts.failed += of_hook.failed;
    counts.given_up += of_hook.given_up;
  }
  page.Begin("troika_hook_deliveries_total", "counter",
             "What became of attempts to tell hooks, and of events.");
  for (const auto& [outcome, count] :
       {std::pair("delivered", counts.delivered),
        std::pair("failed", counts.failed),
        std::pair("given_up", counts.given_up)}) {
    page.Value("troika_hook_deliveries_total", "outcome", outcome, count);
  }
  page.Gauge("troika_loop_longest_hold_seconds",
             "Longest time that the event loop was held up since this was "
             "last asked for.",
             absl::ToDoubleSeconds(api.loop->TakeLongestHold()));
  page.Gauge("process_resident_memory_bytes", "Memory in use.",
             ResidentBytes());
  page.Begin("troika_requests_total", "counter", "Requests by their route.");
  for (const auto& [route, count] : *api.requests) {
    page.Value("troika_requests_total", "route", route, count);
  }
  return page.Take();
}

}  // namespace

absl::StatusOr<Deferred> ReportUsage(const ApiTools& api, const Call& call) {
  v1::UsageRequest request;
  RETURN_IF_ERROR(call.ReadQuery(&request));
  const absl::Time since =
      request.has_since() ? FromProto(request.since()) : absl::InfinitePast();
  const absl::Time until =
      request.has_until() ? FromProto(request.until()) : absl::InfiniteFuture();
  constexpr int kMostOffset = 18 * 60;
  if (std::abs(request.utc_offset_minutes()) > kMostOffset) {
    return absl::InvalidArgumentError(absl::StrCat(
        "utc_offset_minutes must be -", kMostOffset, " to ", kMostOffset));
  }
  std::optional<absl::Duration> days;
  if (request.by_day()) days = absl::Minutes(request.utc_offset_minutes());
  return [&api, since, until, days](ReplyCallback reply) {
    using Rows = std::vector<TaskStore::UsageRow>;
    api.tasks->index().Search<Rows>(
        [since, until, days,
         home = api.home](TaskStore& store) -> absl::StatusOr<Rows> {
          ASSIGN_OR_RETURN(Rows rows, store.Usage(since, until, days));
          RETURN_IF_ERROR(AddRemovedUsage(*home, since, until, days, &rows));
          return rows;
        },
        [reply = std::move(reply)](const absl::StatusOr<Rows>& usage) mutable {
          if (!usage.ok()) return reply(usage.status());
          reply(SumUp(*usage));
        });
  };
}

absl::StatusOr<Deferred> Health(const ApiTools& api, const Call&) {
  return [&api](ReplyCallback reply) {
    reply(Reply::Json(
        absl::StrCat("{\"status\":\"ok\",\"version\":\"", kVersion,
                     "\",\"loading\":", api.tasks->loading(), "}")));
  };
}

absl::StatusOr<Deferred> ServerMetrics(const ApiTools& api, const Call&) {
  return [&api](ReplyCallback reply) {
    using States = std::map<std::string, int64_t>;
    api.tasks->index().Search<States>(
        [](TaskStore& store) { return store.CountByState(); },
        [&api, reply = std::move(reply)](
            const absl::StatusOr<States>& by_state) mutable {
          if (!by_state.ok()) return reply(by_state.status());
          reply(
              Reply(MetricsText(api, *by_state), "text/plain; version=0.0.4"));
        });
  };
}

absl::StatusOr<Deferred> OpenApi(const ApiTools&, const Call&) {
  return [](ReplyCallback reply) { reply(Reply::Json(OpenApiJson())); };
}

}  // namespace troika
