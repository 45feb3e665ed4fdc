// The tool that shows a session.
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/json.h"
#include "mcp/elicitation.h"
#include "server/mcp/defaults.h"
#include "server/mcp/form_state.h"
#include "server/mcp/mcp_tasks.h"
#include "server/mcp/pending_question.h"
#include "server/mcp/service.h"
#include "server/mcp/session_lookup.h"
#include "server/mcp/session_tools.h"
#include "server/mcp/session_view.h"
#include "server/mcp/task_watch.h"

namespace troika {
namespace {

// Names the form in a result that asks for input.
constexpr absl::string_view kFormName = "answer";

struct StatusRequest {
  ToolCallPtr call;
  StatusOptions options;
  std::string shown_progress;
};

EventBuffer& UpdatedBuffer(const StatusRequest& request,
                           const TaskStream& stream) {
  EventBuffer& buffer = request.call->service().buffers().Get(
      stream.task_id(), request.options.max_items);
  buffer.Update(stream.file());
  return buffer;
}

void Finish(const StatusRequest& request, const v1::Task& task,
            const TaskStream& stream) {
  request.call->Finish(
      {.object_json =
           StatusJson(task, UpdatedBuffer(request, stream), request.options)});
}

// Whether a client that waits is to be told now.
bool HasNews(StatusRequest& request, const v1::Task& task,
             const TaskStream& stream) {
  if (request.call->over()) return true;
  if (const auto question = PendingQuestionOf(task)) {
    // While the client's user is asked, there is nothing for the model to do.
    const FormAsker& asker = request.call->service().asker();
    const McpCaller& caller = request.call->caller();
    return !asker.IsOpen(caller, task.id(), question->id) &&
           !asker.WillAsk(caller, task.id(), question->id);
  }
  if (StatusOf(task) != "active") return true;
  const EventBuffer& buffer = UpdatedBuffer(request, stream);
  if (std::string latest = buffer.Latest();
      !latest.empty() && latest != request.shown_progress) {
    request.call->Progress(latest);
    request.shown_progress = std::move(latest);
  }
  return request.options.cursor &&
         buffer.last_shown() > request.options.cursor->after;
}

void Wait(const std::shared_ptr<StatusRequest>& request,
          const std::string& task, absl::Duration at_most);

// Asks the client's user what the agent asks, if that has not been done. True
// if the call has finished, or goes on to wait for the reply.
bool AskUser(const std::shared_ptr<StatusRequest>& request,
             const v1::Task& task) {
  const ToolCallPtr& call = request->call;
  FormAsker& asker = call->service().asker();
  const McpCaller& caller = call->caller();
  const auto question = PendingQuestionOf(task);
  if (!question || call->over() || !asker.CanAsk(caller) ||
      asker.WasLeftOpen(caller, task.id(), question->id)) {
    return false;
  }
  if (caller.client.generation == mcp::Generation::kStateless) {
    const mcp::Form form = FormOf(task, *question);
    call->FinishWith(
        mcp::InputRequiredResult(kFormName, form,
                                 WriteFormState({.task = task.id(),
                                                 .question = question->id,
                                                 .opened = absl::Now()})));
    return true;
  }
  if (call->service().HasStream(caller.id) ||
      asker.IsOpen(caller, task.id(), question->id)) {
    return false;  // FormAsker::Follow() has asked.
  }
  asker.AskOn(*call->reply(), caller, task, *question);
  if (!asker.IsOpen(caller, task.id(), question->id)) return false;
  Wait(request, task.id(), call->TimeLeft());
  return true;
}

void Wait(const std::shared_ptr<StatusRequest>& request,
          const std::string& task, absl::Duration at_most) {
  request->call->service().waits().Wait(
      {.task = task,
       .at_most = at_most,
       .is_over =
           [request](const v1::Task& now, const TaskStream& stream) {
             return HasNews(*request, now, stream);
           }},
      [request](const absl::StatusOr<v1::Task>& now, TaskStream* stream) {
        if (!now.ok()) return request->call->Fail(now.status());
        if (AskUser(request, *now)) return;
        Finish(*request, *now, *stream);
      });
}

void Begin(const std::shared_ptr<StatusRequest>& request,
           const v1::Task& task) {
  const ToolCallPtr& call = request->call;
  FormAsker& asker = call->service().asker();
  asker.Follow(call->caller(), task.id());
  const auto state = ReadFormState(call->request_state(), absl::Now());
  if (!call->request_state().empty() && (!state || state->task != task.id())) {
    return call->FailWith(
        {.code = rpc::kInvalidParams,
         .message = "requestState: it is none of this session: call again "
                    "without requestState"});
  }
  const absl::Duration wait = absl::Seconds(call->args().Int("wait"));
  const bool waits = wait > absl::ZeroDuration() && StatusOf(task) == "active";
  if (waits && call->client().tasks && !state) {
    return call->FinishWith(NewMcpTask(task));
  }
  // It is noticed if a client that waits leaves.
  if (waits) call->reply()->BeginStream();
  if (!state) return Wait(request, task.id(), wait);
  json::Parser parser;
  const auto responses = parser.Parse(call->input_responses());
  asker.OnStatelessReply(
      call->caller(), *state, task,
      responses.ok() ? responses->Get(kFormName) : json::Value(),
      [request, id = task.id(), wait] { Wait(request, id, wait); });
}

}  // namespace

void ShowSession(const std::string& harness, const ToolCallPtr& call) {
  const mcp::Arguments& args = call->args();
  auto request = std::make_shared<StatusRequest>(StatusRequest{.call = call});
  request->options = {
      .output_lines = static_cast<size_t>(args.Int("outputLines")),
      .max_items = static_cast<size_t>(
          call->NumberFrom("EVENT_BUFFER_SIZE", mcp::kEventBufferSize,
                           mcp::kMaxEventBufferSize))};
  if (args.Has("cursor")) {
    const auto cursor = ReadCursor(args.String("cursor"));
    if (!cursor.ok()) return call->Fail(cursor.status());
    request->options.cursor = *cursor;
  }
  const std::string session = args.String("sessionId");
  FindSessionTask(
      call, harness, session,
      [harness, session, request](const absl::StatusOr<v1::Task>& task) {
        const ToolCallPtr& call = request->call;
        if (task.ok()) return Begin(request, *task);
        if (!absl::IsNotFound(task.status())) return call->Fail(task.status());
        FindNativeSession(
            call, harness, session,
            [harness, session, call](const absl::StatusOr<v1::Session>& found) {
              if (!found.ok()) return call->Fail(found.status());
              call->Fail(absl::FailedPreconditionError(absl::StrCat(
                  "sessionId: session ", session,
                  " was not run by Troika, so what it does is not known; ",
                  harness, "_say goes on with it")));
            });
      });
}

}  // namespace troika
