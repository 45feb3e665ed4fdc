// Handlers that describe the server and what its tasks have used.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "base/version.h"
#include "server/handlers.h"
#include "server/routes.h"

namespace troika {
namespace {

absl::Time ToTime(const google::protobuf::Timestamp& time) {
  return absl::FromUnixSeconds(time.seconds()) +
         absl::Nanoseconds(time.nanos());
}

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
    AddTo(row, &to);
    AddTo(row, response.mutable_total());
  }
  return response;
}

}  // namespace

absl::StatusOr<Deferred> Usage(const ApiTools& api, const Call& call) {
  v1::UsageRequest request;
  RETURN_IF_ERROR(call.ReadQuery(&request));
  const absl::Time since =
      request.has_since() ? ToTime(request.since()) : absl::InfinitePast();
  const absl::Time until =
      request.has_until() ? ToTime(request.until()) : absl::InfiniteFuture();
  return [&api, since, until](ReplyCallback reply) {
    using Rows = std::vector<TaskStore::UsageRow>;
    api.tasks->index().Search<Rows>(
        [since, until](TaskStore& store) { return store.Usage(since, until); },
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
        [&api,
         reply = std::move(reply)](absl::StatusOr<States> by_state) mutable {
          if (!by_state.ok()) return reply(by_state.status());
          const OpenTasks& open = api.tasks->open();
          const std::string text = api.metrics->Text(
              {.tasks_by_state = *std::move(by_state),
               .open_tasks = static_cast<int64_t>(open.size()),
               .running = api.tasks->running(),
               .queued = api.tasks->queued(),
               .viewers = static_cast<int64_t>(open.streams().viewers() +
                                               api.changes->viewers().size()),
               .connections = api.connections(),
               .longest_hold = api.loop->TakeLongestHold()});
          reply(Reply(text, "text/plain; version=0.0.4"));
        });
  };
}

absl::StatusOr<Deferred> OpenApi(const ApiTools&, const Call&) {
  return [](ReplyCallback reply) { reply(Reply::Json(OpenApiJson())); };
}

}  // namespace troika
