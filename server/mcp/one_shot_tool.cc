#include "server/mcp/one_shot_tool.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/mcp/defaults.h"
#include "task/request.h"

namespace troika {
namespace {

using Type = mcp::Field::Type;

constexpr absl::string_view kOutputSchema =
    R"({"type":"object","properties":{)"
    R"("status":{"type":"string","enum":["running","completed","failed","cancelled"]},)"
    R"("job_id":{"type":"string","description":"For call_status"},)"
    R"("output":{"type":"string","description":"The answer, with edits, commands, searches and metadata"},)"
    R"("saved_to":{"type":"string"},)"
    R"("error":{"type":"string"},)"
    R"("exit_code":{"type":"integer"},)"
    R"("stderr":{"type":"string"},)"
    R"("hint":{"type":"string"},)"
    R"("model":{"type":"string"},)"
    R"("edit_mode":{"type":"string"},)"
    R"("session_id":{"type":"string"},)"
    R"("message":{"type":"string"},)"
    R"("warnings":{"type":"array","items":{"type":"string"}},)"
    R"("cursor":{"type":"string","description":"The output is cut: call_status with it returns the whole answer"}},)"
    R"("required":["status","job_id","edit_mode"]})";

std::vector<mcp::Field> Fields() {
  const auto boolean = [](std::string name, std::string description,
                          absl::string_view fallback) {
    return mcp::Field{.name = std::move(name),
                      .type = Type::kBoolean,
                      .description = std::move(description),
                      .default_json = std::string(fallback)};
  };
  const auto quoted = [](absl::string_view text) {
    return absl::StrCat("\"", text, "\"");
  };
  return {
      {.name = "task",
       .description = "What Codex is to do",
       .need = mcp::Field::Need::kRequired,
       .max_bytes = kMaxPromptBytes},
      {.name = "cwd",
       .description = "The folder to work in; by default that of this client",
       .max_bytes = 4096},
      {.name = "model",
       .description = "The model; if the CLI lacks the default, its own is "
                      "used",
       .default_json = quoted(mcp::kOneShotModel),
       .max_bytes = 200},
      {.name = "profile",
       .description = "A profile of Codex's configuration",
       .max_bytes = 200},
      {.name = "reasoning_effort",
       .description = "How much it thinks; minimal is taken as low",
       .default_json = quoted(mcp::kOneShotEffort),
       .values = {"minimal", "low", "medium", "high", "xhigh"}},
      {.name = "verbosity",
       .description = "How much it writes",
       .values = {"low", "medium", "high"}},
      {.name = "edit_mode",
       .description =
           "research: reads only; auto_edit and full_auto: edits files and "
           "runs commands in a sandbox; dangerous: no sandbox at all",
       .default_json = quoted(mcp::kOneShotEditMode),
       .values = {"research", "auto_edit", "full_auto", "dangerous"}},
      boolean("allow_edits", "The same as edit_mode auto_edit, which wins",
              "false"),
      boolean("bypass_sandbox", "DANGEROUS: the same as edit_mode dangerous",
              "false"),
      {.name = "files_glob",
       .type = Type::kStrings,
       .description = "Patterns of text files in cwd that are put into the "
                      "prompt: src/**/*.cc",
       .max = 50},
      {.name = "images",
       .type = Type::kStrings,
       .description = "Paths of images that go along",
       .max = 100},
      boolean("enable_web_search",
              "Let the model search the web; commands get no network by this",
              "false"),
      boolean("save_to_file",
              "Write the result to gpt5_docs/ in cwd, also if it comes later",
              "true"),
      boolean("display_in_chat",
              "Return the whole result and not only its metadata; counts if "
              "it is saved",
              "true"),
      boolean("skip_git_repo_check", "Also edit outside of a Git repository",
              "false"),
      boolean("expose_stream", "call_status also shows the agent's events",
              "false"),
      {.name = "timeout_sec",
       .type = Type::kInteger,
       .description = "Seconds that it may run; it then fails",
       .default_json = absl::StrCat(mcp::kOneShotTimeoutSec),
       .min = 1,
       .max = mcp::kMaxTimeoutMs / 1000},
      {.name = "wait_sec",
       .type = Type::kInteger,
       .description = "Seconds that this call waits for the result; later it "
                      "is returned by call_status",
       .default_json = absl::StrCat(mcp::kMaxWaitSeconds),
       .min = 0,
       .max = mcp::kMaxOneShotWaitSec}};
}

}  // namespace

void AddOneShotTool(std::vector<Tool>* tools) {
  tools->push_back(
      {.info = {.name = mcp::kOneShotName,
                .title = "Ask Codex",
                .description =
                    "Has Codex CLI work on one task and returns its answer "
                    "with a summary of its edits, commands and searches. If "
                    "it takes longer than wait_sec, it returns a job_id for "
                    "call_status.",
                .input = Fields(),
                .output_schema = std::string(kOutputSchema),
                .annotations = mcp::kActs},
       .family = Tool::Family::kOneShot,
       .harness = "codex",
       .call = CallOneShot});
}

}  // namespace troika
