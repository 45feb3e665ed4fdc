// The tool that lists jobs.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json_writer.h"
#include "relay/log_format.h"
#include "server/mcp/job_calls.h"
#include "server/mcp/job_view.h"
#include "server/mcp/service.h"
#include "server/mcp/session_lookup.h"

namespace troika {
namespace {

// Bytes of JSON that all jobs of a list may have.
constexpr size_t kListRoom = 36000;
constexpr int kPage = 200;

// Jobs that were found so far.
struct Listing {
  ToolCallPtr call;
  std::vector<std::string> jobs;
  std::string last;  // Id of the last of them.
  size_t bytes = 0;
};

void ListMore(const std::shared_ptr<Listing>& list, const std::string& token);

void OnPage(const std::shared_ptr<Listing>& list,
            const v1::ListTasksResponse& page) {
  const mcp::Arguments& args = list->call->args();
  const auto limit = static_cast<size_t>(args.Int("limit"));
  bool is_full = false;
  for (const v1::Task& task : page.tasks()) {
    if (args.Has("status") && JobStatusOf(task) != args.String("status")) {
      continue;
    }
    std::string json = JobSummaryJson(task);
    is_full =
        !list->jobs.empty() && (list->jobs.size() == limit ||
                                list->bytes + json.size() + 1 > kListRoom);
    if (is_full) break;
    list->bytes += json.size() + 1;
    list->last = task.id();
    list->jobs.push_back(std::move(json));
  }
  if (!is_full && !page.next_page_token().empty()) {
    return ListMore(list, page.next_page_token());
  }
  json::ObjectWriter out;
  out.Json("jobs", absl::StrCat("[", absl::StrJoin(list->jobs, ","), "]"))
      .Json("more", is_full ? "true" : "false");
  // Pages of tasks are continued behind an id.
  if (is_full) out.String("cursor", list->last);
  list->call->Finish({.object_json = out.Take()});
}

void ListMore(const std::shared_ptr<Listing>& list, const std::string& token) {
  const auto label = [](absl::string_view name, absl::string_view value) {
    return absl::StrCat("&labels=",
                        EscapedForUrl(absl::StrCat(name, "=", value)));
  };
  std::string query =
      absl::StrCat("page_size=", kPage, label(kFamilyLabel, kJobFamily));
  const mcp::Arguments& args = list->call->args();
  if (args.Has("tool_name")) {
    query += label(kToolLabel, args.String("tool_name"));
  }
  if (!token.empty())
    absl::StrAppend(&query, "&page_token=", EscapedForUrl(token));
  list->call->api().Get<v1::ListTasksResponse>(
      "/api/v1/tasks", query,
      [list](const absl::StatusOr<v1::ListTasksResponse>& page) {
        if (!page.ok()) return list->call->Fail(page.status());
        OnPage(list, *page);
      });
}

}  // namespace

void ListJobs(const ToolCallPtr& call) {
  const std::string cursor = call->args().String("cursor");
  if (!cursor.empty() && !relay::IsTaskId(cursor)) {
    return call->Fail(absl::InvalidArgumentError(
        "cursor: must be the cursor of an earlier result"));
  }
  ListMore(std::make_shared<Listing>(Listing{.call = call}), cursor);
}

}  // namespace troika
