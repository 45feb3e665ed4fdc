// Implements the wire of `codex exec --json` before 0.43:
// {"id","msg":{"type",…}}.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json_writer.h"
#include "testing/fake/wire.h"

namespace troika::fake {
namespace {

json::ObjectWriter Msg(absl::string_view type) {
  json::ObjectWriter msg;
  msg.String("type", type);
  return msg;
}

std::string Line(json::ObjectWriter msg) {
  return json::ObjectWriter().String("id", "0").Json("msg", msg.Take()).Take() +
         "\n";
}

std::string Quoted(absl::string_view text) {
  std::string quoted;
  json::AppendQuoted(text, &quoted);
  return quoted;
}

std::string UsageOf(const Tokens& tokens) {
  const int64_t input = tokens.input + tokens.cached;
  return json::ObjectWriter()
      .Json("input_tokens", absl::StrCat(input))
      .Json("cached_input_tokens", absl::StrCat(tokens.cached))
      .Json("output_tokens", absl::StrCat(tokens.output))
      .Json("reasoning_output_tokens", "0")
      .Json("total_tokens", absl::StrCat(input + tokens.output))
      .Take();
}

class CodexMsgWire final : public Wire {
 public:
  explicit CodexMsgWire(const WireOptions& options) : Wire(options) {}

  std::string StartTurn(absl::string_view prompt) override {
    return absl::StrCat(
        json::ObjectWriter()
            .String("reasoning summaries", "auto")
            .String("model", options().model)
            .String("provider", "openai")
            .String("sandbox", options().permission_mode)
            .String("workdir", options().cwd)
            .String("reasoning effort", "medium")
            .String("approval", "never")
            .Take(),
        "\n", json::ObjectWriter().String("prompt", prompt).Take(), "\n",
        Line(Msg("task_started").Json("model_context_window", "null")));
  }

  std::string TextLine(absl::string_view text) override {
    return Line(Msg("agent_message").String("message", text));
  }

  std::string Think(absl::string_view text) override {
    return Line(Msg("agent_reasoning_section_break")) +
           Line(Msg("agent_reasoning").String("text", text));
  }

  std::string WriteFile(const FileWritten& file) override {
    const std::string id = NewToolId("");
    const std::string content =
        json::ObjectWriter().String("content", file.content).Take();
    const std::string kind =
        file.existed ? R"({"update":{"unified_diff":"","move_path":null}})"
                     : json::ObjectWriter().Json("add", content).Take();
    return Line(Msg("patch_apply_begin")
                    .String("call_id", id)
                    .Json("auto_approved", "true")
                    .Json("changes",
                          json::ObjectWriter().Json(file.path, kind).Take())) +
           Line(Msg("patch_apply_end")
                    .String("call_id", id)
                    .String("stdout", "Success. Updated the following files:\n")
                    .String("stderr", "")
                    .Json("success", "true"));
  }

  std::string Todo(absl::Span<const TodoEntry> entries) override {
    std::vector<std::string> plan;
    for (const TodoEntry& entry : entries) {
      plan.push_back(json::ObjectWriter()
                         .String("step", entry.text)
                         .String("status", script::StatusName(entry.status))
                         .Take());
    }
    return Line(Msg("plan_update")
                    .Json("explanation", "null")
                    .Json("plan", JsonArray(plan)));
  }

  // Writes nothing more: a clean exit of the process means success.
  std::string Succeed() override {
    const Tokens turn = TakeTokens();
    return Line(
        Msg("token_count")
            .Json("info", json::ObjectWriter()
                              .Json("total_token_usage", UsageOf(total()))
                              .Json("last_token_usage", UsageOf(turn))
                              .Json("model_context_window", "null")
                              .Take()));
  }

  std::string Fail(absl::string_view message) override {
    return Line(Msg("error").String("message", message));
  }

 private:
  std::string NewToolId(absl::string_view) override {
    return absl::StrCat("call_", ++calls_);
  }

  std::string StartRunLines(const Running& run) override {
    const std::string words =
        JsonArray({Quoted("bash"), Quoted("-lc"), Quoted(run.command)});
    return Line(Msg("exec_command_begin")
                    .String("call_id", run.id)
                    .Json("command", words)
                    .String("cwd", options().cwd)
                    .Json("parsed_cmd", "[]"));
  }

  std::string EndRunLines(const Running& run,
                          const CommandOutcome& outcome) override {
    const std::string output =
        absl::StrCat(outcome.output, outcome.output.empty() ? "" : "\n");
    return Line(Msg("exec_command_end")
                    .String("call_id", run.id)
                    .String("stdout", output)
                    .String("stderr", "")
                    .String("aggregated_output", output)
                    .Json("exit_code", absl::StrCat(outcome.exit_code))
                    .Json("duration", R"({"secs":0,"nanos":7000000})")
                    .String("formatted_output", output));
  }

  int calls_ = 0;
};

}  // namespace

std::unique_ptr<Wire> NewCodexMsgWire(const WireOptions& options) {
  return std::make_unique<CodexMsgWire>(options);
}

}  // namespace troika::fake
