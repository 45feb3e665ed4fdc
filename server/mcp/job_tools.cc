#include "server/mcp/job_tools.h"

#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agent/registry.h"
#include "base/json_writer.h"
#include "relay/log_format.h"
#include "server/mcp/defaults.h"
#include "server/mcp/job_request.h"
#include "server/mcp/job_view.h"
#include "server/mcp/service.h"
#include "server/mcp/session_lookup.h"
#include "server/mcp/task_watch.h"
#include "task/request.h"

namespace troika {
namespace {

using Type = mcp::Field::Type;
constexpr auto kRequired = mcp::Field::Need::kRequired;
// Bytes of JSON that all jobs of a list may have.
constexpr size_t kListRoom = 36000;
constexpr int kPage = 200;

constexpr absl::string_view kQueuedSchema =
    R"({"type":"object","properties":{)"
    R"("status":{"type":"string","enum":["queued"]},)"
    R"("job_id":{"type":"string"},)"
    R"("notices":{"type":"array","items":{"type":"string"}}},)"
    R"("required":["status","job_id"]})";

// The properties of a job that call_status and call_jobs show.
constexpr absl::string_view kJobProperties =
    R"("job_id":{"type":"string"},)"
    R"("status":{"type":"string","enum":["queued","running","completed","failed","cancelled"]},)"
    R"("tool_name":{"type":"string"},)"
    R"("agent_instance":{"type":"string","description":"The client that asked for it"},)"
    R"("task_name":{"type":"string"},)"
    R"("cwd":{"type":"string"},)"
    R"("model":{"type":"string"},)"
    R"("edit_mode":{"type":"string"},)"
    R"("continue_latest":{"type":"boolean"},)"
    R"("resume_session_id":{"type":"string"},)"
    R"("timeout_ms":{"type":"integer"},)"
    R"("tool_timeout_ms":{"type":"integer"},)"
    R"("prompt":{"type":"string"},)"
    R"("session_id":{"type":"string"},)"
    R"("duration_ms":{"type":"integer"},)"
    R"("exit_code":{"type":"integer"},)"
    R"("error":{"type":"string"},)"
    R"("stderr":{"type":"string"},)"
    R"("hint":{"type":"string"},)"
    R"("saved_to":{"type":"string"})";

constexpr absl::string_view kStatusMore =
    R"(,"response":{"type":"string","description":"The final text"},)"
    R"("stream_events":{"type":"array","items":{"type":"object"}},)"
    R"("cursor":{"type":"string","description":"Give it to the next call to see the rest"},)"
    R"("more":{"type":"boolean","description":"There is more: call again with the cursor"})";

struct JobHarness {
  const char* id;
  const char* model;  // The default; empty: that of the CLI.
  const char* edit_mode;
};
constexpr JobHarness kHarnesses[] = {
    {"codex", mcp::kCallCodexModel, mcp::kCallCodexEditMode},
    {"claude", "", mcp::kCallEditMode},
    {"gemini", "", mcp::kCallEditMode},
};

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
    WaitForTask(
        call->service().api(),
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

// Jobs that were found so far.
struct Listing {
  ToolCallPtr call;
  std::vector<std::string> jobs;
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
        list->jobs.size() == limit || list->bytes + json.size() + 1 > kListRoom;
    if (is_full) break;
    list->bytes += json.size() + 1;
    list->jobs.push_back(std::move(json));
  }
  if (!is_full && !page.next_page_token().empty()) {
    return ListMore(list, page.next_page_token());
  }
  list->call->Finish(
      {.object_json =
           json::ObjectWriter()
               .Json("jobs",
                     absl::StrCat("[", absl::StrJoin(list->jobs, ","), "]"))
               .Json("more", is_full ? "true" : "false")
               .Take()});
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
  if (!token.empty()) absl::StrAppend(&query, "&page_token=", token);
  list->call->api().Get<v1::ListTasksResponse>(
      "/api/v1/tasks", query,
      [list](const absl::StatusOr<v1::ListTasksResponse>& page) {
        if (!page.ok()) return list->call->Fail(page.status());
        OnPage(list, *page);
      });
}

void ListJobs(const ToolCallPtr& call) {
  ListMore(std::make_shared<Listing>(Listing{.call = call}), "");
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

mcp::Field JobField() {
  return {.name = "job_id",
          .description = "The job, as the tool that began it named it",
          .need = kRequired,
          .max_bytes = 100};
}

mcp::Field Boolean(std::string name, std::string description) {
  return {.name = std::move(name),
          .type = Type::kBoolean,
          .description = std::move(description),
          .default_json = "false"};
}

mcp::Field Number(std::string name, std::string description, int64_t fallback,
                  int64_t min, int64_t max) {
  return {.name = std::move(name),
          .type = Type::kInteger,
          .description = std::move(description),
          .default_json = absl::StrCat(fallback),
          .min = min,
          .max = max};
}

std::vector<mcp::Field> StartFields(const JobHarness& harness) {
  const bool codex = absl::string_view(harness.id) == "codex";
  const auto quoted = [](absl::string_view text) {
    return absl::StrCat("\"", text, "\"");
  };
  mcp::Field model = {.name = "model",
                      .description = "By default that of the CLI",
                      .max_bytes = 200};
  if (harness.model[0] != '\0') {
    model.description =
        "The model; if the CLI lacks the default, its own is used";
    model.default_json = quoted(harness.model);
  }
  std::vector<mcp::Field> fields = {
      {.name = "prompt",
       .description = "What the agent is to do",
       .need = kRequired,
       .max_bytes = kMaxPromptBytes},
      {.name = "cwd",
       .description = "The folder to work in",
       .need = kRequired,
       .max_bytes = 4096},
      {.name = "task_name",
       .description = "A name for the job",
       .default_json = quoted(absl::StrCat("call_", harness.id)),
       .max_bytes = 200},
      std::move(model),
      {.name = "edit_mode",
       .description = "What the agent may do without asking",
       .default_json = quoted(harness.edit_mode),
       .values = {"research", "auto_edit", "full_auto", "dangerous"}},
      {.name = "resume_session_id",
       .description = "A session of the CLI that the job goes on with",
       .max_bytes = 200},
      Boolean("continue_latest", "Go on with the last session of the folder"),
      Number("timeout_ms", "Milliseconds that the job may run; it then fails",
             mcp::kJobTimeoutMs, 1, mcp::kMaxTimeoutMs),
      Number("tool_timeout_ms",
             "Milliseconds that each tool of the agent may run; the job then "
             "fails",
             mcp::kToolTimeoutMs, 1, mcp::kMaxTimeoutMs),
      {.name = "output_limit_bytes",
       .type = Type::kInteger,
       .description = "The job fails if the agent prints more; by default "
                      "there is no limit",
       .min = 1,
       .max = int64_t{1} << 40},
      Boolean("expose_stream", "call_status also shows the agent's events"),
      Boolean("fire_and_forget",
              "Nobody will ask for the result: call_status shows none")};
  if (codex) {
    fields.push_back(
        Boolean("skip_git_repo_check", "Also run outside of a Git repository"));
  }
  if (absl::string_view(harness.id) != "gemini") {
    fields.push_back({.name = "outputSchema",
                      .type = Type::kObject,
                      .description = "The JSON schema of the final answer"});
  }
  return fields;
}

std::string ObjectSchema(absl::string_view properties,
                         absl::string_view required) {
  return absl::StrCat(R"({"type":"object","properties":{)", properties,
                      R"(},"required":[)", required, "]}");
}

}  // namespace

void AddJobTools(std::vector<Tool>* tools) {
  for (const JobHarness& harness : kHarnesses) {
    const auto backend = BackendById(harness.id);
    if (!backend.ok()) continue;
    tools->push_back(
        {.info = {.name = absl::StrCat("call_", harness.id),
                  .title =
                      absl::StrCat("Give ", (*backend)->display_name, " a job"),
                  .description = absl::StrCat(
                      "Has ", (*backend)->display_name,
                      " work on a prompt in a folder, and returns a job_id at "
                      "once. Follow the job with call_status."),
                  .input = StartFields(harness),
                  .output_schema = std::string(kQueuedSchema),
                  .annotations = mcp::kActs},
         .family = Tool::Family::kJobs,
         .harness = harness.id,
         .call = [&harness](const ToolCallPtr& call) {
           StartJob(harness, call);
         }});
  }
  const auto add = [&](std::string name, std::string title,
                       std::string description, std::vector<mcp::Field> input,
                       std::string output, const mcp::Annotations& annotations,
                       void (*run)(const ToolCallPtr&)) {
    tools->push_back({.info = {.name = std::move(name),
                               .title = std::move(title),
                               .description = std::move(description),
                               .input = std::move(input),
                               .output_schema = std::move(output),
                               .annotations = annotations},
                      .family = Tool::Family::kJobs,
                      .call = run});
  };
  add("call_status", "Status of a job",
      "Shows how far a job is, and its result. Use `wait` instead of polling.",
      {JobField(),
       Number("wait", "Seconds to wait for the end of the job", 0, 0,
              mcp::kMaxWaitSeconds),
       {.name = "cursor",
        .description = "The cursor of an earlier result: shows the rest",
        .max_bytes = 100}},
      ObjectSchema(absl::StrCat(kJobProperties, kStatusMore),
                   R"("job_id","status","tool_name","cursor","more")"),
      mcp::kReads, ShowJob);
  add("call_jobs", "List jobs", "Lists jobs, the newest first.",
      {{.name = "status",
        .description = "Only jobs with this status",
        .values = {"queued", "running", "completed", "failed", "cancelled"}},
       {.name = "tool_name",
        .description = "Only jobs that this tool has begun",
        .values = {"call_codex", "call_claude", "call_gemini", "gpt5_codex"}},
       Number("limit", "At most so many jobs", mcp::kListLimit, 1,
              mcp::kMaxListLimit)},
      ObjectSchema(
          absl::StrCat(
              R"("jobs":{"type":"array","items":)",
              ObjectSchema(kJobProperties, R"("job_id","status","tool_name")"),
              R"(},"more":{"type":"boolean"})"),
          R"("jobs","more")"),
      mcp::kReads, ListJobs);
  add("call_cancel", "Cancel a job",
      "Ends a job and everything that its agent has started.", {JobField()},
      ObjectSchema(R"("job_id":{"type":"string"},)"
                   R"("status":{"type":"string","enum":["cancelled"]})",
                   R"("job_id","status")"),
      mcp::kSteers, CancelJob);
}

}  // namespace troika
