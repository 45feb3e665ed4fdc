// The tools that answer, interrupt and list sessions.
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "base/json_writer.h"
#include "base/utf8.h"
#include "dto/status.h"
#include "server/mcp/pending_question.h"
#include "server/mcp/service.h"
#include "server/mcp/session_lookup.h"
#include "server/mcp/session_tools.h"
#include "server/mcp/session_view.h"

namespace troika {
namespace {

constexpr size_t kSummary = 200;
// Bytes of JSON that all entries of a list may have.
constexpr size_t kListRoom = 36000;

std::string StateJson(const v1::Task& task, absl::string_view status) {
  return json::ObjectWriter()
      .String("sessionId", SessionIdOf(task))
      .String("taskId", task.id())
      .String("status", status)
      .Take();
}

std::string TimeText(const google::protobuf::Timestamp& time) {
  return absl::FormatTime(
      "%Y-%m-%dT%H:%M:%E3SZ",
      absl::FromUnixSeconds(time.seconds()) + absl::Nanoseconds(time.nanos()),
      absl::UTCTimeZone());
}

// Whether the answer that counts is the one that we gave, because the request
// came twice.
bool IsOurs(const v1::Answered& answered, const v1::RespondRequest& request) {
  if (answered.via() != "mcp") return false;
  if (request.has_approval()) {
    return answered.choice() == request.approval().choice() &&
           answered.text() == request.approval().reason();
  }
  // As SettledOf() joins them.
  return answered.text() ==
         absl::StrJoin(request.question().items(), "; ",
                       [](std::string* out, const auto& item) {
                         absl::StrAppend(out,
                                         absl::StrJoin(item.answers(), ", "));
                       });
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

struct Listing {
  ToolCallPtr call;
  std::string harness;
  v1::ListTasksResponse alive;
  v1::ListSessionsResponse sessions;
};

std::string ListJson(const Listing& list, const v1::UsageResponse& usage) {
  v1::TokenCounts total;
  for (const v1::UsageResponse::Row& row : usage.rows()) {
    if (row.harness() != list.harness) continue;
    const v1::TokenCounts& tokens = row.tokens();
    total.set_input_tokens(total.input_tokens() + tokens.input_tokens());
    total.set_cached_input_tokens(total.cached_input_tokens() +
                                  tokens.cached_input_tokens());
    total.set_cache_write_input_tokens(total.cache_write_input_tokens() +
                                       tokens.cache_write_input_tokens());
    total.set_output_tokens(total.output_tokens() + tokens.output_tokens());
  }
  std::map<std::string, const v1::Task*> alive;
  for (const v1::Task& task : list.alive.tasks()) {
    if (!task.session_id().empty()) alive.emplace(task.session_id(), &task);
  }
  const auto status_of = [&](const v1::Task& task) {
    const std::string status = StatusOf(task);
    return status == "active" || status == "awaiting_approval" ? status : "";
  };
  std::vector<Entry> entries;
  for (const v1::Session& session : list.sessions.sessions()) {
    Entry entry = {.session = session.id(),
                   .folder = session.cwd(),
                   .summary = session.prompt(),
                   .time = session.changed_at()};
    if (const auto it = alive.find(session.id()); it != alive.end()) {
      entry.active_status = status_of(*it->second);
      alive.erase(it);
    }
    entries.push_back(std::move(entry));
  }
  // The CLI may not have written these yet.
  std::vector<Entry> unwritten;
  const bool is_first_page = !list.call->args().Has("cursor");
  const std::string folder = AbsoluteFrom(
      list.call->caller(), list.call->args().String("workingDirectory"));
  for (const auto& [session, task] : alive) {
    if (!is_first_page || (!folder.empty() && folder != task->cwd())) continue;
    unwritten.push_back({.session = session,
                         .folder = task->cwd(),
                         .summary = task->title(),
                         .time = task->last_activity_at(),
                         .active_status = status_of(*task)});
  }
  entries.insert(entries.begin(), unwritten.begin(), unwritten.end());
  std::vector<std::string> shown;
  size_t used = 0;
  const auto limit = static_cast<size_t>(list.call->args().Int("limit"));
  for (const Entry& entry : entries) {
    std::string json = EntryJson(entry);
    used += json.size() + 1;
    if (used > kListRoom || shown.size() == limit) break;
    shown.push_back(std::move(json));
  }
  json::ObjectWriter writer;
  writer.Json("sessions", absl::StrCat("[", absl::StrJoin(shown, ","), "]"))
      .Json("usage", UsageJson(total));
  if (!list.sessions.next_page_token().empty() &&
      shown.size() == entries.size()) {
    writer.String("cursor", list.sessions.next_page_token());
  }
  return writer.Take();
}

void FinishList(const std::shared_ptr<Listing>& list) {
  list->call->api().Get<v1::UsageResponse>(
      "/api/v1/usage", "",
      [list](const absl::StatusOr<v1::UsageResponse>& usage) {
        if (!usage.ok()) return list->call->Fail(usage.status());
        list->call->Finish({.object_json = ListJson(*list, *usage)});
      });
}

}  // namespace

void RespondToSession(const std::string& harness, const ToolCallPtr& call) {
  FindSessionTask(
      call, harness, call->args().String("sessionId"),
      [call, harness](const absl::StatusOr<v1::Task>& task) {
        if (!task.ok()) return call->Fail(task.status());
        const std::string id = call->args().String("id");
        const std::vector<std::string> answers =
            call->args().Strings("answers");
        const auto pending = PendingQuestionById(*task, id);
        absl::StatusOr<v1::RespondRequest> request =
            pending ? ReadAnswers(*pending, answers)
                    : AnswerToUnknown(id, answers);
        if (!request.ok()) return call->Fail(request.status());
        call->api().Send<v1::Task>(
            "POST", absl::StrCat("/api/v1/tasks/", task->id(), "/respond"),
            &*request,
            [call, request = *request,
             before = *task](const absl::StatusOr<v1::Task>& answered) {
              if (answered.ok()) {
                return call->Finish(
                    {.object_json = StateJson(*answered, StatusOf(*answered))});
              }
              const v1::Error error = ToError(answered.status());
              if (error.has_answered() && IsOurs(error.answered(), request)) {
                return call->Finish(
                    {.object_json = StateJson(before, StatusOf(before))});
              }
              call->Fail(answered.status());
            });
      });
}

void InterruptSession(const std::string& harness, const ToolCallPtr& call) {
  FindSessionTask(
      call, harness, call->args().String("sessionId"),
      [call](const absl::StatusOr<v1::Task>& task) {
        if (!task.ok()) return call->Fail(task.status());
        v1::InterruptRequest request;
        request.set_reason(absl::StrCat(
            "by MCP client ",
            call->client().name.empty() ? "unknown" : call->client().name));
        call->api().Send<v1::Task>(
            "POST", absl::StrCat("/api/v1/tasks/", task->id(), "/interrupt"),
            &request, [call](const absl::StatusOr<v1::Task>& ended) {
              if (!ended.ok()) return call->Fail(ended.status());
              call->Finish({.object_json = StateJson(*ended, "interrupted")});
            });
      });
}

void ListSessionsOf(const std::string& harness, const ToolCallPtr& call) {
  const mcp::Arguments& args = call->args();
  auto list =
      std::make_shared<Listing>(Listing{.call = call, .harness = harness});
  std::string query = absl::StrCat(SessionQuery(call->caller(), harness),
                                   "&page_size=", args.Int("limit"));
  if (args.Has("workingDirectory")) {
    absl::StrAppend(&query, "&cwd=",
                    EscapedForUrl(AbsoluteFrom(
                        call->caller(), args.String("workingDirectory"))));
  }
  if (args.Has("cursor")) {
    absl::StrAppend(&query,
                    "&page_token=", EscapedForUrl(args.String("cursor")));
  }
  call->api().Get<v1::ListSessionsResponse>(
      "/api/v1/sessions", query,
      [list](absl::StatusOr<v1::ListSessionsResponse> found) {
        if (!found.ok()) return list->call->Fail(found.status());
        list->sessions = *std::move(found);
        list->call->api().Get<v1::ListTasksResponse>(
            "/api/v1/tasks",
            absl::StrCat("harnesses=", list->harness,
                         "&page_size=1000&states=queued&states=starting&states="
                         "running&states=awaiting_approval&states="
                         "awaiting_answer&states=idle"),
            [list](absl::StatusOr<v1::ListTasksResponse> tasks) {
              if (!tasks.ok()) return list->call->Fail(tasks.status());
              list->alive = *std::move(tasks);
              FinishList(list);
            });
      });
}

}  // namespace troika
