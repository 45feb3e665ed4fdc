#include "server/mcp/bound_tasks.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "server/mcp/defaults.h"
#include "server/mcp/session_lookup.h"

namespace troika {
namespace {

constexpr int kMaxTasks = 1000;

}  // namespace

void BoundTasks::Begin(const ApiTools* api, IsThere is_there) {
  api_ = api;
  is_there_ = std::move(is_there);
  // Those of clients that another server knew.
  OnGone("");
}

void BoundTasks::OnGone(const std::string& client) {
  auto& timer = timers_[client];
  timer = api_->loop->NewTimer([this, client] {
    const auto fired = std::move(timers_[client]);
    timers_.erase(client);
    EndTasks(client);
  });
  timer->SetIn(mcp::kClientPatience);
}

void BoundTasks::OnEnd(const std::string& client) {
  timers_.erase(client);
  EndTasks(client);
}

void BoundTasks::EndTasks(const std::string& client) {
  if (!client.empty() && is_there_(client)) return;
  TaskFilter filter = {
      .states = {"queued", "starting", "running", "awaiting_approval",
                 "awaiting_answer", "idle"},
      .labels = {{kBoundLabel, "true"}}};
  if (!client.empty()) filter.labels[kConnectionLabel] = client;
  api_->tasks->index().List(
      std::move(filter), Encoding::kBinary, kMaxTasks, "",
      [this](const absl::StatusOr<TaskStore::Page>& page) {
        if (!page.ok()) return;
        for (const std::string& bytes : page->tasks) {
          v1::Task task;
          if (!task.ParseFromString(bytes)) continue;
          const auto owner = task.labels().find(kConnectionLabel);
          if (owner != task.labels().end() && is_there_(owner->second)) {
            continue;
          }
          api_->tasks->open().Ask(
              task.id(),
              [](Runner& runner) {
                return runner.Stop("mcp", "its MCP client has ended");
              },
              [](const absl::StatusOr<v1::Task>&) {});
        }
      });
}

}  // namespace troika
