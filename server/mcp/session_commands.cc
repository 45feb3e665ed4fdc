// The tools that answer and interrupt sessions.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json_writer.h"
#include "dto/status.h"
#include "server/mcp/pending_question.h"
#include "server/mcp/service.h"
#include "server/mcp/session_lookup.h"
#include "server/mcp/session_tools.h"
#include "server/mcp/session_view.h"

namespace troika {
namespace {

std::string StateJson(const v1::Task& task, absl::string_view status) {
  return json::ObjectWriter()
      .String("sessionId", SessionIdOf(task))
      .String("taskId", task.id())
      .String("status", status)
      .Take();
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
        const std::string status = StatusOf(*task);
        if (status != "active" && status != "awaiting_approval") {
          // No turn runs, so there is nothing to end.
          return call->Finish({.object_json = StateJson(*task, status)});
        }
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

}  // namespace troika
