// The routes that tell about the server and the harnesses.
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "agent/discovery/discovery.h"
#include "agent/registry.h"
#include "base/version.h"
#include "server/api.h"
#include "server/harnesses.h"
#include "server/openapi.h"

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

}  // namespace

void Api::ListHarnesses(Call call) {
  ReplyHarnesses(std::move(call), tools_.environment);
}

void Api::ProbeHarnesses(Call call) {
  v1::ProbeHarnessesRequest body;
  if (const absl::Status read = call.ReadBody(&body); !read.ok()) {
    return call.Fail(read);
  }
  if (const absl::Status valid = CheckVariables(body.env()); !valid.ok()) {
    return call.Fail(valid);
  }
  const Caller caller = CallerOf(call.request());
  if (const absl::Status may = LimitsOf(caller).status(); !may.ok()) {
    return call.Fail(may);
  }
  auto environment = EnvironmentFor(caller, body.env());
  if (!environment.ok()) return call.Fail(environment.status());
  ReplyHarnesses(std::move(call), *std::move(environment));
}

void Api::ReplyHarnesses(Call call, Environment environment) {
  auto shared = std::make_shared<Call>(std::move(call));
  auto found = std::make_shared<v1::ListHarnessesResponse>();
  tools_.probe_pool->Run(
      [this, found, environment = ForAgents(environment)] {
        *found = FindHarnesses(environment, tools_.home->version_cache());
      },
      [shared, found] { shared->Reply(*found); });
}

void Api::Usage(Call call) {
  v1::UsageRequest request;
  if (const absl::Status read = call.ReadQuery(&request); !read.ok()) {
    return call.Fail(read);
  }
  const absl::Time since =
      request.has_since() ? ToTime(request.since()) : absl::InfinitePast();
  const absl::Time until =
      request.has_until() ? ToTime(request.until()) : absl::InfiniteFuture();
  using Rows = std::vector<TaskStore::UsageRow>;
  tools_.tasks->index().Search<Rows>(
      [since, until](TaskStore& store) { return store.Usage(since, until); },
      [call = std::move(call)](const absl::StatusOr<Rows>& usage) mutable {
        if (!usage.ok()) return call.Fail(usage.status());
        v1::UsageResponse response;
        response.mutable_total();
        for (const TaskStore::UsageRow& row : *usage) {
          v1::UsageResponse::Row& to = *response.add_rows();
          to.set_harness(row.harness);
          to.set_model(row.model);
          AddTo(row, &to);
          AddTo(row, response.mutable_total());
        }
        call.Reply(response);
      });
}

void Api::Health(Call call) {
  call.ReplyJson(absl::StrCat("{\"status\":\"ok\",\"version\":\"", kVersion,
                              "\",\"loading\":", tools_.tasks->loading(), "}"));
}

void Api::Metrics(Call call) {
  using States = std::map<std::string, int64_t>;
  tools_.tasks->index().Search<States>(
      [](TaskStore& store) { return store.CountByState(); },
      [this, call = std::move(call)](absl::StatusOr<States> by_state) mutable {
        if (!by_state.ok()) return call.Fail(by_state.status());
        Tasks& tasks = *tools_.tasks;
        call.ReplyBytes(
            tools_.metrics->Text(
                {.tasks_by_state = *std::move(by_state),
                 .open_tasks = static_cast<int64_t>(tasks.open().size()),
                 .running = tasks.running(),
                 .queued = tasks.queued(),
                 .viewers =
                     static_cast<int64_t>(tasks.open().streams().viewers() +
                                          tools_.changes->viewers()),
                 .connections = tools_.connections(),
                 .longest_hold = tools_.loop->TakeLongestHold()}),
            "text/plain; version=0.0.4");
      });
}

void Api::OpenApi(Call call) { call.ReplyJson(OpenApiJson()); }

}  // namespace troika
