#include "server/mcp/mcp_tasks.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/json_writer.h"
#include "mcp/elicitation.h"
#include "mcp/tool.h"
#include "relay/log_format.h"
#include "server/mcp/defaults.h"
#include "server/mcp/form_state.h"
#include "server/mcp/pending_question.h"
#include "server/mcp/session_lookup.h"
#include "server/mcp/session_view.h"
#include "server/mcp/task_watch.h"

namespace troika {
namespace {

constexpr absl::string_view kPrefix = "status.";

std::string TimeText(const google::protobuf::Timestamp& time) {
  return absl::FormatTime(
      "%Y-%m-%dT%H:%M:%E3SZ",
      absl::FromUnixSeconds(time.seconds()) + absl::Nanoseconds(time.nanos()),
      absl::UTCTimeZone());
}

void Describe(const v1::Task& task, absl::string_view status,
              json::ObjectWriter* writer) {
  writer->String("taskId", absl::StrCat(kPrefix, task.id()))
      .String("status", status)
      .String("statusMessage", StatusOf(task))
      .String("createdAt", TimeText(task.created_at()))
      .String("lastUpdatedAt", TimeText(task.last_activity_at()))
      .Json("ttlMs", "null")
      .Json("pollIntervalMs", "1000");
}

// The id of our task, or nothing.
std::string TaskIdOf(const rpc::Message& message) {
  absl::string_view id = message.params.Get("taskId").StringOr("");
  if (!absl::ConsumePrefix(&id, kPrefix) || !relay::IsTaskId(id)) return "";
  return std::string(id);
}

void NoSuchTask(const McpRequest& request) {
  request.Fail(rpc::kInvalidParams, "taskId: there is no such task");
}

void Show(McpService& service, const McpRequest& request, const v1::Task& task,
          const TaskStream& stream) {
  FormAsker& asker = service.asker();
  const auto question = PendingQuestionOf(task);
  json::ObjectWriter result = mcp::BeginResult(request.caller.client);
  if (!question && StatusOf(task) == "active") {
    Describe(task, "working", &result);
    return request.Finish(result.Take());
  }
  if (question && asker.CanAsk(request.caller) &&
      !asker.WasLeftOpen(request.caller, task.id(), question->id)) {
    Describe(task, "input_required", &result);
    result.Json(
        "inputRequests",
        mcp::InputRequests(asker.NameInTask(request.caller, task, *question),
                           FormOf(task, *question)));
    return request.Finish(result.Take());
  }
  EventBuffer& buffer = service.buffers().Get(task.id(), mcp::kEventBufferSize);
  buffer.Update(stream.file());
  Describe(task, "completed", &result);
  result.Json("result",
              mcp::CallResult(request.caller.client,
                              {.object_json = StatusJson(
                                   task, buffer,
                                   {.output_lines = mcp::kOutputLines,
                                    .max_items = mcp::kEventBufferSize})}));
  request.Finish(result.Take());
}

}  // namespace

std::string NewMcpTask(const v1::Task& task) {
  json::ObjectWriter result;
  result.String("resultType", "task");
  Describe(task, "working", &result);
  return result.Take();
}

void GetMcpTask(McpService& service, const McpRequest& request,
                const rpc::Message& message) {
  const std::string id = TaskIdOf(message);
  if (id.empty()) return NoSuchTask(request);
  service.waits().Wait(
      {.task = id,
       .at_most = absl::ZeroDuration(),
       .is_over = [](const v1::Task&, const TaskStream&) { return true; }},
      [&service, request](const absl::StatusOr<v1::Task>& task,
                          TaskStream* stream) {
        if (!task.ok()) return NoSuchTask(request);
        Show(service, request, *task, *stream);
      });
}

void UpdateMcpTask(McpService& service, const McpRequest& request,
                   const rpc::Message& message) {
  const std::string id = TaskIdOf(message);
  if (id.empty()) return NoSuchTask(request);
  service.api().tasks->open().Get(
      id, [&service, request,
           replies = message.params.Get("inputResponses").ToJson()](
              const absl::StatusOr<v1::Task>& task) {
        if (!task.ok()) return NoSuchTask(request);
        // The last reply finishes the request.
        const auto finish = std::shared_ptr<void>(nullptr, [request](void*) {
          request.Finish(mcp::BeginResult(request.caller.client).Take());
        });
        json::Parser parser;
        const auto read = parser.Parse(replies);
        if (!read.ok()) return;
        for (const json::Member& member : read->members()) {
          const auto state = ReadFormState(member.key, absl::Now());
          if (!state) continue;
          service.asker().OnStatelessReply(request.caller, *state, *task,
                                           member.value, [finish] {});
        }
      });
}

void CancelMcpTask(const McpRequest& request, const rpc::Message& message) {
  if (TaskIdOf(message).empty()) return NoSuchTask(request);
  request.Finish(mcp::BeginResult(request.caller.client).Take());
}

}  // namespace troika
