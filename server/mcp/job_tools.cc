#include "server/mcp/job_tools.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "agent/registry.h"
#include "server/mcp/defaults.h"
#include "server/mcp/job_calls.h"
#include "task/request.h"

namespace troika {
namespace {

using Type = mcp::Field::Type;
constexpr auto kRequired = mcp::Field::Need::kRequired;

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
    R"("denials":{"type":"array","items":{"type":"object","properties":{)"
    R"("tool":{"type":"string"},"reason":{"type":"string"}}}},)"
    R"("saved_to":{"type":"string"},)"
    R"("response":{"type":"string","description":"The final text; of call_jobs only its beginning"})";

constexpr absl::string_view kStatusMore =
    R"(,"stream_events":{"type":"array","items":{"type":"object"}},)"
    R"("cursor":{"type":"string","description":"Give it to the next call to see the rest"},)"
    R"("more":{"type":"boolean","description":"There is more: call again with the cursor"})";

constexpr JobHarness kHarnesses[] = {
    {"codex", mcp::kCallCodexModel, mcp::kCallCodexEditMode},
    {"claude", "", mcp::kCallEditMode},
    {"gemini", "", mcp::kCallEditMode},
};

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
              mcp::kMaxListLimit),
       {.name = "cursor",
        .description = "The cursor of an earlier result: older jobs",
        .max_bytes = 100}},
      ObjectSchema(
          absl::StrCat(
              R"("jobs":{"type":"array","items":)",
              ObjectSchema(kJobProperties, R"("job_id","status","tool_name")"),
              R"(},"more":{"type":"boolean"},)",
              R"("cursor":{"type":"string","description":)",
              R"("Give it to the next call to see older jobs"})"),
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
