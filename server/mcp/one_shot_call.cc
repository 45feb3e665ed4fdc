// What gpt5_codex does.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json_writer.h"
#include "base/status_macros.h"
#include "files/inlined_files.h"
#include "server/agent_policy.h"
#include "server/document_writer.h"
#include "server/mcp/defaults.h"
#include "server/mcp/job_request.h"
#include "server/mcp/job_view.h"
#include "server/mcp/one_shot_tool.h"
#include "server/mcp/service.h"
#include "server/mcp/session_lookup.h"
#include "task/request.h"

namespace troika {
namespace {

constexpr size_t kOutputRoom = 30000;
constexpr absl::string_view kDangerous =
    "DANGEROUS MODE: the agent ran without approvals and without a sandbox, "
    "and could do everything that its user can";
constexpr absl::string_view kNoSearch =
    "Web Search did not execute; the model answered from what it knows, or "
    "the account or model has no web search. Ask for a search in the task.";

struct OneShot {
  ToolCallPtr call;
  JobRequest job;
  std::string shown_progress;
};
using OneShotPtr = std::shared_ptr<OneShot>;

absl::Status SetEditMode(const ToolCallPtr& call, JobRequest* job) {
  const mcp::Arguments& args = call->args();
  const std::string given =
      args.Has("edit_mode") ? args.String("edit_mode") : "";
  const bool bypass = args.Bool("bypass_sandbox");
  if (bypass && !given.empty() && given != "dangerous") {
    return absl::InvalidArgumentError(
        absl::StrCat("bypass_sandbox: contradicts edit_mode ", given,
                     "; leave one of them out"));
  }
  std::string mode = given;
  if (mode.empty() && bypass) mode = "dangerous";
  if (mode.empty() && args.Bool("allow_edits")) mode = "auto_edit";
  if (mode.empty()) {
    SetDefaultEditMode(call, mcp::kOneShotEditMode, job);
    return absl::OkStatus();
  }
  v1::EditMode parsed = v1::research;
  v1::EditMode_Parse(mode, &parsed);
  job->task.mutable_options()->set_edit_mode(parsed);
  return absl::OkStatus();
}

absl::Status SetArguments(const ToolCallPtr& call, JobRequest* job) {
  const mcp::Arguments& args = call->args();
  v1::CreateTaskRequest& task = job->task;
  v1::LaunchOptions& options = *task.mutable_options();
  const std::string folder =
      args.Has("cwd") ? args.String("cwd") : call->caller().cwd;
  RETURN_IF_ERROR(SetFolder(call, "cwd", folder, job));
  RETURN_IF_ERROR(SetEditMode(call, job));
  task.set_prompt(args.String("task"));
  task.set_title(TitleOf(args.String("task")));
  options.set_model(args.String("model"));
  task.set_model_fallback(!args.Has("model"));
  options.set_profile(args.String("profile"));
  const std::string effort = args.String("reasoning_effort");
  options.set_effort(effort == "minimal" ? "low" : effort);
  options.set_verbosity(args.String("verbosity"));
  options.set_web_search(args.Bool("enable_web_search"));
  ASSIGN_OR_RETURN(const auto limits, CallerLimits(call));
  // What only reads leaves nothing to undo. Agents must ask for it.
  options.set_skip_git_check(args.Bool("skip_git_repo_check") ||
                             (!limits && options.edit_mode() == v1::research));
  for (const std::string& image : args.Strings("images")) {
    options.add_images(AbsoluteFrom(call->caller(), image));
  }
  *task.mutable_timeouts()->mutable_turn() =
      DurationOf(args.Int("timeout_sec") * 1000);
  const bool may_save = !limits || limits->abilities.Has(Ability::kEdit);
  if (args.Has("save_to_file") ? args.Bool("save_to_file") : may_save) {
    task.mutable_document();
  } else if (!args.Has("save_to_file")) {
    job->notices.emplace_back(
        "The result is not saved to a file, as the calling agent may not edit "
        "files itself");
  }
  auto& labels = *task.mutable_labels();
  labels[kTaskNameLabel] = mcp::kOneShotName;
  labels[kModelLabel] = options.model();
  if (args.Bool("enable_web_search")) labels[kWebSearchLabel] = "true";
  if (args.Bool("expose_stream")) labels[kExposeStreamLabel] = "true";
  return CheckGlobs(args.Strings("files_glob"));
}

// Sets what a result has in any case.
json::ObjectWriter ResultOf(const OneShot& shot, const v1::Task& task,
                            std::vector<std::string> warnings) {
  json::ObjectWriter out;
  out.String("status", JobHasEnded(task) ? JobStatusOf(task) : "running")
      .String("job_id", task.id())
      .String("model", task.model())
      .String("edit_mode", v1::EditMode_Name(task.edit_mode()));
  if (!task.session_id().empty()) out.String("session_id", task.session_id());
  warnings.insert(warnings.end(), shot.job.notices.begin(),
                  shot.job.notices.end());
  if (!warnings.empty()) out.Json("warnings", TextsJson(warnings));
  return out;
}

void FinishRunning(const OneShot& shot, const v1::Task& task) {
  std::vector<std::string> warnings;
  if (task.edit_mode() == v1::dangerous) warnings.emplace_back(kDangerous);
  json::ObjectWriter out = ResultOf(shot, task, std::move(warnings));
  out.String("message",
             absl::StrCat("It takes longer than this call may: call_status "
                          "with this job_id shows the result",
                          shot.job.task.has_document()
                              ? ", which is also saved to a file."
                              : "."));
  shot.call->Finish({.object_json = out.Take()});
}

void FinishEnded(const OneShot& shot, const v1::Task& task,
                 const absl::StatusOr<TurnReport>& report) {
  const mcp::Arguments& args = shot.call->args();
  std::vector<std::string> warnings;
  if (task.edit_mode() == v1::dangerous) warnings.emplace_back(kDangerous);
  if (args.Bool("enable_web_search") && report.ok() && !report->searched) {
    warnings.emplace_back(kNoSearch);
  }
  if (!task.document_error().empty()) {
    warnings.push_back(
        absl::StrCat("The file was not saved: ", task.document_error()));
  }
  if (!report.ok()) warnings.emplace_back(report.status().message());
  std::string text;
  for (const std::string& warning : warnings) {
    absl::StrAppend(&text, "**", warning, "**\n\n");
  }
  json::ObjectWriter out = ResultOf(shot, task, warnings);
  const bool failed = JobStatusOf(task) == "failed";
  if (failed) {
    const std::string& error =
        task.reason().empty() ? task.result().error() : task.reason();
    out.String("error", mcp::CutForJson(error, 3000));
    absl::StrAppend(&text, "Error: ", error, "\n");
  }
  if (task.has_exit_code()) {
    out.Json("exit_code", absl::StrCat(task.exit_code()));
    if (failed) absl::StrAppend(&text, "Exit code: ", task.exit_code(), "\n");
  }
  if (failed && !task.stderr_tail().empty()) {
    out.String("stderr", mcp::CutForJson(task.stderr_tail(), 2000));
    absl::StrAppend(&text, "Stderr:\n", task.stderr_tail(), "\n");
  }
  if (!task.hint().empty()) {
    out.String("hint", task.hint());
    absl::StrAppend(&text, "Hint: ", task.hint(), "\n");
  }
  const bool saved = !task.document_path().empty();
  if (report.ok()) {
    // A file that nobody asked to see is enough, but an error is shown.
    const bool shows = !saved || args.Bool("display_in_chat") || failed;
    const std::string& whole = shows ? report->text : report->metadata;
    const absl::string_view shown = mcp::CutForJson(whole, kOutputRoom);
    out.String("output", shown);
    absl::StrAppend(&text, text.empty() ? "" : "\n", shown);
    if (shown.size() < whole.size()) {
      out.String("cursor", "0.0");
      absl::StrAppend(&text,
                      "\n\n(Cut. The whole answer is returned by "
                      "call_status with job_id ",
                      task.id(), ".)");
    }
  }
  if (saved) {
    out.String("saved_to", task.document_path());
    absl::StrAppend(&text, "\n\nSaved to: ", task.document_path());
  }
  shot.call->Finish(
      {.object_json = out.Take(), .text = std::move(text), .is_error = failed});
}

bool IsOver(OneShot& shot, const v1::Task& task, const TaskStream& stream) {
  if (shot.call->over()) return true;
  if (JobHasEnded(task)) {
    return !shot.job.task.has_document() || !task.document_path().empty() ||
           !task.document_error().empty() ||
           task.state() == v1::Task::cancelled;
  }
  EventBuffer& buffer = shot.call->service().buffers().Get(
      stream.task_id(), mcp::kEventBufferSize);
  buffer.Update(stream.file());
  if (std::string latest = buffer.Latest();
      !latest.empty() && latest != shot.shown_progress) {
    shot.call->Progress(latest);
    shot.shown_progress = std::move(latest);
  }
  return false;
}

void OnWaited(const OneShotPtr& shot, const v1::Task& task) {
  if (shot->call->over()) return;
  if (!JobHasEnded(task)) return FinishRunning(*shot, task);
  const ApiTools& api = shot->call->service().api();
  api.pools->log.RunFor<absl::StatusOr<TurnReport>>(
      [home = api.home, id = task.id()] { return ReportTurn(*home, id); },
      [shot, task](const absl::StatusOr<TurnReport>& report) {
        FinishEnded(*shot, task, report);
      });
}

void Begin(const OneShotPtr& shot) {
  shot->call->api().Send<v1::Task>(
      "POST", "/api/v1/tasks", &shot->job.task,
      [shot](const absl::StatusOr<v1::Task>& made) {
        if (!made.ok()) return shot->call->Fail(made.status());
        // It is noticed if a client that waits leaves.
        shot->call->reply()->BeginStream();
        shot->call->service().waits().Wait(
            {.task = made->id(),
             .at_most = absl::Seconds(shot->call->args().Int("wait_sec")),
             .is_over =
                 [shot](const v1::Task& now, const TaskStream& stream) {
                   return IsOver(*shot, now, stream);
                 }},
            [shot](const absl::StatusOr<v1::Task>& now,
                   TaskStream* /*nullable*/) {
              if (!now.ok()) return shot->call->Fail(now.status());
              OnWaited(shot, *now);
            });
      });
}

// An agent may have only files read that are in its folder.
absl::Status CheckReads(const ToolCallPtr& call, const std::string& folder) {
  ASSIGN_OR_RETURN(const auto limits, CallerLimits(call));
  if (!limits || ResolveWithin(limits->cwd, folder)) return absl::OkStatus();
  return NotForAgents("start a task with a folder that is not within its own");
}

}  // namespace

void CallOneShot(const ToolCallPtr& call) {
  auto shot = std::make_shared<OneShot>(
      OneShot{.call = call, .job = NewJob(call, "codex", mcp::kOneShotName)});
  const absl::Status set = SetArguments(call, &shot->job);
  if (!set.ok()) return call->Fail(set);
  const std::vector<std::string> globs = call->args().Strings("files_glob");
  if (globs.empty()) return Begin(shot);
  const std::string folder = shot->job.task.cwd();
  if (const absl::Status may = CheckReads(call, folder); !may.ok()) {
    return call->Fail(may);
  }
  call->service().api().pools->log.RunFor<absl::StatusOr<InlinedFiles>>(
      [folder, globs] { return InlineFiles(folder, globs); },
      [shot](const absl::StatusOr<InlinedFiles>& files) {
        if (!files.ok()) {
          return shot->call->Fail(absl::Status(
              files.status().code(),
              absl::StrCat("files_glob: ", files.status().message())));
        }
        std::string* const prompt = shot->job.task.mutable_prompt();
        if (files->files.empty() && files->left_out_count == 0) {
          shot->job.notices.emplace_back("files_glob: no file matches");
        }
        absl::StrAppend(prompt, InlinedText(*files));
        Begin(shot);
      });
}

}  // namespace troika
