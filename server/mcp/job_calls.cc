#include "server/mcp/job_calls.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/json_writer.h"
#include "relay/log_format.h"
#include "server/mcp/job_request.h"
#include "server/mcp/job_view.h"
#include "server/mcp/service.h"
#include "server/mcp/session_lookup.h"
#include "task/request.h"

namespace troika {
namespace {

absl::Status NoJob(const std::string& id) {
  return absl::NotFoundError(
      absl::StrCat("job_id: there is no job ", id, "; call_jobs lists them"));
}

// Sets what the client has said, or the default.
absl::Status SetArguments(const ToolCallPtr& call, const JobHarness& harness,
                          JobRequest* job) {
  const mcp::Arguments& args = call->args();
  v1::CreateTaskRequest& task = job->task;
  v1::LaunchOptions& options = *task.mutable_options();
  task.set_prompt(args.String("prompt"));
  const absl::Status folder = SetFolder(call, "cwd", args.String("cwd"), job);
  if (!folder.ok()) return folder;
  auto& labels = *task.mutable_labels();
  labels[kTaskNameLabel] = args.String("task_name");
  if (args.Has("task_name")) task.set_title(args.String("task_name"));
  options.set_model(args.String("model"));
  task.set_model_fallback(!args.Has("model") && !options.model().empty());
  if (!options.model().empty()) labels[kModelLabel] = options.model();
  if (args.Has("resume_session_id") && args.Bool("continue_latest")) {
    return absl::InvalidArgumentError(
        "continue_latest: leave out resume_session_id, which names another "
        "session");
  }
  task.set_resume_session(args.Bool("continue_latest")
                              ? std::string(kLatestSession)
                              : args.String("resume_session_id"));
  if (!task.resume_session().empty()) {
    labels[kResumeLabel] = task.resume_session();
  }
  *task.mutable_timeouts()->mutable_turn() = DurationOf(args.Int("timeout_ms"));
  *task.mutable_timeouts()->mutable_tool() =
      DurationOf(args.Int("tool_timeout_ms"));
  task.set_output_limit_bytes(args.Int("output_limit_bytes"));
  task.set_output_schema_json(args.Object("outputSchema"));
  if (args.Bool("expose_stream")) labels[kExposeStreamLabel] = "true";
  if (args.Bool("fire_and_forget")) labels[kForgetLabel] = "true";
  options.set_skip_git_check(args.Bool("skip_git_repo_check"));
  if (!args.Has("edit_mode")) {
    SetDefaultEditMode(call, harness.edit_mode, job);
  } else {
    v1::EditMode mode = v1::research;
    v1::EditMode_Parse(args.String("edit_mode"), &mode);
    options.set_edit_mode(mode);
  }
  return absl::OkStatus();
}

// Calls back with the job of the call.
void FindJob(const ToolCallPtr& call, TaskDone done) {
  const std::string id = call->args().String("job_id");
  if (!relay::IsTaskId(id)) return done(NoJob(id));
  call->api().Send<v1::Task>(
      "GET", absl::StrCat("/api/v1/tasks/", id), nullptr,
      [id, done = std::move(done)](absl::StatusOr<v1::Task> task) mutable {
        if (absl::IsNotFound(task.status()) ||
            (task.ok() && (!IsJob(*task) || task->id() != id))) {
          task = NoJob(id);
        }
        done(std::move(task));
      });
}

}  // namespace

void StartJob(const JobHarness& harness, const ToolCallPtr& call) {
  auto job = std::make_shared<JobRequest>(
      NewJob(call, harness.id, absl::StrCat("call_", harness.id)));
  const absl::Status set = SetArguments(call, harness, &*job);
  if (!set.ok()) return call->Fail(set);
  call->api().Send<v1::Task>(
      "POST", "/api/v1/tasks", &job->task,
      [call, job](const absl::StatusOr<v1::Task>& task) {
        if (!task.ok()) return call->Fail(task.status());
        json::ObjectWriter out;
        out.String("status", "queued").String("job_id", task->id());
        if (!job->notices.empty()) {
          out.Json("notices", TextsJson(job->notices));
        }
        call->Finish({.object_json = out.Take()});
      });
}

void ShowJob(const ToolCallPtr& call) {
  std::optional<Cursor> cursor;
  if (call->args().Has("cursor")) {
    const auto read = ReadCursor(call->args().String("cursor"));
    if (!read.ok()) return call->Fail(read.status());
    cursor = *read;
  }
  FindJob(call, [call, cursor](const absl::StatusOr<v1::Task>& job) {
    if (!job.ok()) return call->Fail(job.status());
    const absl::Duration wait = absl::Seconds(call->args().Int("wait"));
    // It is noticed if a client that waits leaves.
    if (wait > absl::ZeroDuration() && !JobHasEnded(*job)) {
      call->reply()->BeginStream();
    }
    call->service().waits().Wait(
        {.task = job->id(),
         .at_most = wait,
         .is_over =
             [call](const v1::Task& now, const TaskStream&) {
               return call->over() || JobHasEnded(now);
             }},
        [call, cursor](const absl::StatusOr<v1::Task>& now,
                       TaskStream* stream) {
          if (!now.ok()) return call->Fail(now.status());
          call->Finish({.object_json = JobJson(*now, cursor, stream->file())});
        });
  });
}

void CancelJob(const ToolCallPtr& call) {
  FindJob(call, [call](const absl::StatusOr<v1::Task>& job) {
    if (!job.ok()) return call->Fail(job.status());
    if (JobHasEnded(*job)) {
      return call->Fail(absl::FailedPreconditionError(
          absl::StrCat("job_id: job ", job->id(), " has ended already: it is ",
                       JobStatusOf(*job))));
    }
    v1::StopRequest stop;
    stop.set_reason("call_cancel");
    call->api().Send<v1::Task>(
        "POST", absl::StrCat("/api/v1/tasks/", job->id(), "/stop"), &stop,
        [call](const absl::StatusOr<v1::Task>& stopped) {
          if (!stopped.ok()) return call->Fail(stopped.status());
          call->Finish({.object_json = json::ObjectWriter()
                                           .String("job_id", stopped->id())
                                           .String("status", "cancelled")
                                           .Take()});
        });
  });
}

}  // namespace troika
