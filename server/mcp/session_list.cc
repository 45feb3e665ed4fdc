// The tool that lists sessions.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "base/json_writer.h"
#include "base/utf8.h"
#include "server/mcp/service.h"
#include "server/mcp/session_lookup.h"
#include "server/mcp/session_tools.h"
#include "server/mcp/session_view.h"

namespace troika {
namespace {

constexpr size_t kSummary = 200;
// Bytes of JSON that all entries of a list may have.
constexpr size_t kListRoom = 36000;
// Sessions whose process lives are among the newest ones. One that is not among
// so many has not been written by its CLI yet.
constexpr int64_t kNewest = 100;
// Begins the cursor behind a session that was not written. All other cursors
// are tokens of /api/v1/sessions.
constexpr absl::string_view kUnwritten = "unwritten:";

std::string TimeText(const google::protobuf::Timestamp& time) {
  return absl::FormatTime(
      "%Y-%m-%dT%H:%M:%E3SZ",
      absl::FromUnixSeconds(time.seconds()) + absl::Nanoseconds(time.nanos()),
      absl::UTCTimeZone());
}

// One entry of a list.
struct Entry {
  std::string session;
  std::string folder;
  std::string summary;
  google::protobuf::Timestamp time;
  std::string active_status;  // Empty if no turn of it runs.
};

std::string EntryJson(const Entry& entry) {
  json::ObjectWriter writer;
  writer.String("sessionId", entry.session)
      .String("directory", entry.folder)
      .String("summary", CutAtCharacter(entry.summary, kSummary))
      .String("timestamp", TimeText(entry.time))
      .Json("isActive", entry.active_status.empty() ? "false" : "true");
  if (!entry.active_status.empty()) {
    writer.String("activeStatus", entry.active_status);
  }
  return writer.Take();
}

// Empty if no turn of the task runs.
std::string ActiveStatusOf(const v1::Task& task) {
  const std::string status = StatusOf(task);
  return status == "active" || status == "awaiting_approval" ? status : "";
}

struct Listing {
  ToolCallPtr call;
  std::string harness;
  v1::ListTasksResponse alive;
  v1::ListSessionsResponse sessions;
  // What is shown.
  std::vector<std::string> entries;
  std::string cursor;
};
using ListingPtr = std::shared_ptr<Listing>;

bool BeginsWithUnwritten(const Listing& list) {
  const mcp::Arguments& args = list.call->args();
  return !args.Has("cursor") ||
         absl::StartsWith(args.String("cursor"), kUnwritten);
}

v1::TokenCounts TotalOf(const v1::UsageResponse& usage,
                        absl::string_view harness) {
  v1::TokenCounts total;
  for (const v1::UsageResponse::Row& row : usage.rows()) {
    if (row.harness() != harness) continue;
    const v1::TokenCounts& tokens = row.tokens();
    total.set_input_tokens(total.input_tokens() + tokens.input_tokens());
    total.set_cached_input_tokens(total.cached_input_tokens() +
                                  tokens.cached_input_tokens());
    total.set_cache_write_input_tokens(total.cache_write_input_tokens() +
                                       tokens.cache_write_input_tokens());
    total.set_output_tokens(total.output_tokens() + tokens.output_tokens());
  }
  return total;
}

// Finishes the call with the entries that were chosen.
void Finish(const ListingPtr& list) {
  list->call->api().Get<v1::UsageResponse>(
      "/api/v1/usage", "",
      [list](const absl::StatusOr<v1::UsageResponse>& usage) {
        if (!usage.ok()) return list->call->Fail(usage.status());
        json::ObjectWriter writer;
        writer
            .Json("sessions",
                  absl::StrCat("[", absl::StrJoin(list->entries, ","), "]"))
            .Json("usage", UsageJson(TotalOf(*usage, list->harness)));
        if (!list->cursor.empty()) writer.String("cursor", list->cursor);
        list->call->Finish({.object_json = writer.Take()});
      });
}

// Asks for the sessions of the page.
void GetSessions(const ListingPtr& list, int64_t page_size,
                 LocalApi::Done<v1::ListSessionsResponse> done) {
  const mcp::Arguments& args = list->call->args();
  const McpCaller& caller = list->call->caller();
  std::string query = absl::StrCat(SessionQuery(caller, list->harness),
                                   "&page_size=", page_size);
  if (args.Has("workingDirectory")) {
    absl::StrAppend(
        &query, "&cwd=",
        EscapedForUrl(AbsoluteFrom(caller, args.String("workingDirectory"))));
  }
  if (!BeginsWithUnwritten(*list)) {
    absl::StrAppend(&query,
                    "&page_token=", EscapedForUrl(args.String("cursor")));
  }
  list->call->api().Get<v1::ListSessionsResponse>("/api/v1/sessions", query,
                                                  std::move(done));
}

// The sessions whose process lives and that no file is known of, by their ids.
std::vector<Entry> UnwrittenOf(
    const Listing& list, const std::map<std::string, const v1::Task*>& left) {
  const mcp::Arguments& args = list.call->args();
  const std::string folder =
      AbsoluteFrom(list.call->caller(), args.String("workingDirectory"));
  const std::string cursor = args.String("cursor");
  const absl::string_view after = absl::StripPrefix(cursor, kUnwritten);
  std::vector<Entry> entries;
  for (const auto& [session, task] : left) {
    if (!cursor.empty() && session <= after) continue;
    if (args.Has("workingDirectory") && folder != task->cwd()) continue;
    entries.push_back({.session = session,
                       .folder = task->cwd(),
                       .summary = task->title(),
                       .time = task->last_activity_at(),
                       .active_status = ActiveStatusOf(*task)});
  }
  return entries;
}

void ChooseEntries(const ListingPtr& list) {
  std::map<std::string, const v1::Task*> alive;
  for (const v1::Task& task : list->alive.tasks()) {
    if (!task.session_id().empty()) alive.emplace(task.session_id(), &task);
  }
  std::vector<Entry> written;
  for (const v1::Session& session : list->sessions.sessions()) {
    Entry entry = {.session = session.id(),
                   .folder = session.cwd(),
                   .summary = session.prompt(),
                   .time = session.changed_at()};
    if (const auto it = alive.find(session.id()); it != alive.end()) {
      entry.active_status = ActiveStatusOf(*it->second);
      alive.erase(it);
    }
    written.push_back(std::move(entry));
  }
  const std::vector<Entry> unwritten = BeginsWithUnwritten(*list)
                                           ? UnwrittenOf(*list, alive)
                                           : std::vector<Entry>();
  const auto limit = static_cast<size_t>(list->call->args().Int("limit"));
  size_t used = 0;
  const auto add = [&](const Entry& entry) {
    std::string json = EntryJson(entry);
    used += json.size() + 1;
    // One is shown in any case, so that the cursor gets on.
    if (!list->entries.empty() &&
        (used > kListRoom || list->entries.size() == limit)) {
      return false;
    }
    list->entries.push_back(std::move(json));
    return true;
  };
  for (const Entry& entry : unwritten) {
    if (!add(entry)) return Finish(list);
    list->cursor = absl::StrCat(kUnwritten, entry.session);
  }
  int64_t shown = 0;
  while (shown < static_cast<int64_t>(written.size()) &&
         add(written[static_cast<size_t>(shown)])) {
    ++shown;
  }
  if (shown == static_cast<int64_t>(written.size())) {
    list->cursor = list->sessions.next_page_token();
    return Finish(list);
  }
  // If none of these was shown, the cursor behind the last unwritten holds.
  if (shown == 0) return Finish(list);
  GetSessions(list, shown,
              [list](const absl::StatusOr<v1::ListSessionsResponse>& page) {
                if (!page.ok()) return list->call->Fail(page.status());
                list->cursor = page->next_page_token();
                Finish(list);
              });
}

}  // namespace

void ListSessionsOf(const std::string& harness, const ToolCallPtr& call) {
  auto list =
      std::make_shared<Listing>(Listing{.call = call, .harness = harness});
  call->service().api().tasks->WhenRead([list] {
    const int64_t limit = list->call->args().Int("limit");
    GetSessions(
        list, BeginsWithUnwritten(*list) ? std::max(limit, kNewest) : limit,
        [list](absl::StatusOr<v1::ListSessionsResponse> found) {
          if (!found.ok()) return list->call->Fail(found.status());
          list->sessions = *std::move(found);
          list->call->api().Get<v1::ListTasksResponse>(
              "/api/v1/tasks",
              absl::StrCat("harnesses=", list->harness,
                           "&page_size=1000&states=queued&states=starting&"
                           "states=running&states=awaiting_approval&states="
                           "awaiting_answer&states=idle"),
              [list](absl::StatusOr<v1::ListTasksResponse> tasks) {
                if (!tasks.ok()) return list->call->Fail(tasks.status());
                list->alive = *std::move(tasks);
                ChooseEntries(list);
              });
        });
  });
}

}  // namespace troika
