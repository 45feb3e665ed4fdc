#include "testing/fake/acp_wire.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "testing/fake/acp_lines.h"

namespace troika::fake {
namespace {

constexpr absl::string_view kOptions =
    R"([{"optionId":"proceed_always","name":"Allow for this session",)"
    R"("kind":"allow_always"},)"
    R"({"optionId":"proceed_once","name":"Allow","kind":"allow_once"},)"
    R"({"optionId":"cancel","name":"Reject","kind":"reject_once"}])";

std::string TextContent(absl::string_view text) {
  if (text.empty()) return "[]";
  const std::string block =
      json::ObjectWriter().String("type", "text").String("text", text).Take();
  return absl::StrCat("[",
                      json::ObjectWriter()
                          .String("type", "content")
                          .Json("content", block)
                          .Take(),
                      "]");
}

std::string DiffContent(absl::string_view path, absl::string_view content) {
  return absl::StrCat("[",
                      json::ObjectWriter()
                          .String("type", "diff")
                          .String("path", path)
                          .String("oldText", "")
                          .String("newText", content)
                          .Take(),
                      "]");
}

}  // namespace

std::string AcpWire::StartTurn(absl::string_view) {
  ForgetTurn();
  return "";
}

std::string AcpWire::TextLine(absl::string_view text) {
  return AcpText(options().session_id, "agent_message_chunk", text);
}

std::string AcpWire::Think(absl::string_view text) {
  return AcpText(options().session_id, "agent_thought_chunk", text);
}

std::string AcpWire::NewToolId(absl::string_view native_name) {
  return absl::StrCat(native_name, "__call_", ++calls_);
}

std::string AcpWire::Update(absl::string_view type, absl::string_view status,
                            const Call& call) const {
  return AcpUpdate(options().session_id, json::ObjectWriter()
                                             .String("sessionUpdate", type)
                                             .String("toolCallId", call.id)
                                             .String("status", status)
                                             .String("title", call.title)
                                             .Json("content", call.content_json)
                                             .Json("locations", "[]")
                                             .String("kind", call.kind)
                                             .Take());
}

std::string AcpWire::StartRunLines(const Running& run) {
  return Update("tool_call", "in_progress",
                {.id = run.id, .title = run.command, .kind = "execute"});
}

// A failed command is reported as completed, without its exit code.
std::string AcpWire::EndRunLines(const Running& run,
                                 const CommandOutcome& outcome) {
  return Update("tool_call_update", "completed",
                {.id = run.id,
                 .title = run.command,
                 .kind = "execute",
                 .content_json = TextContent(outcome.output)});
}

std::string AcpWire::WriteFile(const FileWritten& file) {
  Call call = {.id = NewToolId("write_file"),
               .title = absl::StrCat("Writing to ", file.path),
               .kind = "edit"};
  const std::string begin = Update("tool_call", "in_progress", call);
  call.content_json = DiffContent(file.path, file.content);
  return begin + Update("tool_call_update", "completed", call);
}

std::string AcpWire::Ask(const Asked& asked) {
  if (!options().asks || asked.tool == "AskUserQuestion") return "";
  json::Parser parser;
  const absl::StatusOr<json::Value> input = parser.Parse(asked.input_json);
  const json::Value fields = input.ok() ? *input : json::Value();
  if (asked.tool == "Bash") {
    asked_ = {.id = NewToolId("run_shell_command"),
              .title = std::string(fields.Get("command").StringOr("")),
              .kind = "execute",
              .content_json = "[]"};
  } else {
    const absl::string_view path = fields.Get("file_path").StringOr("file");
    asked_ = {
        .id = NewToolId("write_file"),
        .title = absl::StrCat("Writing to ", path),
        .kind = "edit",
        .content_json = DiffContent(path, fields.Get("content").StringOr(""))};
  }
  const std::string call = json::ObjectWriter()
                               .String("toolCallId", asked_.id)
                               .String("status", "pending")
                               .String("title", asked_.title)
                               .Json("content", asked_.content_json)
                               .Json("locations", "[]")
                               .String("kind", asked_.kind)
                               .Take();
  const std::string params = json::ObjectWriter()
                                 .String("sessionId", options().session_id)
                                 .Json("options", kOptions)
                                 .Json("toolCall", call)
                                 .Take();
  return absl::StrCat(R"({"jsonrpc":"2.0","id":)", ++asks_,
                      R"(,"method":"session/request_permission","params":)",
                      params, "}\n");
}

std::optional<AskAnswer> AcpWire::AnswerIn(absl::string_view line) const {
  json::Parser parser;
  const absl::StatusOr<json::Value> value = parser.Parse(line);
  if (!value.ok() || value->Get("method").exists() ||
      value->Get("id").IntOr(-1) != asks_) {
    return std::nullopt;
  }
  const json::Value outcome = value->Get("result").Get("outcome");
  const absl::string_view option = outcome.Get("optionId").StringOr("");
  const bool allowed = option == "proceed_once" || option == "proceed_always";
  return AskAnswer{.allowed = allowed,
                   .message = allowed ? "" : "canceled by the user",
                   .input_json = ""};
}

// A call that was rejected is not reported.
std::string AcpWire::EndAsk(const AskAnswer& answer) {
  return answer.allowed ? Update("tool_call_update", "completed", asked_) : "";
}

std::string AcpWire::Todo(absl::Span<const TodoEntry> entries) {
  std::vector<std::string> plan;
  for (const TodoEntry& entry : entries) {
    plan.push_back(json::ObjectWriter()
                       .String("content", entry.text)
                       .String("priority", "medium")
                       .String("status", script::StatusName(entry.status))
                       .Take());
  }
  return AcpUpdate(options().session_id, json::ObjectWriter()
                                             .String("sessionUpdate", "plan")
                                             .Json("entries", JsonArray(plan))
                                             .Take());
}

std::string AcpWire::Succeed() {
  const Tokens tokens = TakeTokens();
  return AcpResult(
      prompt_id_,
      absl::StrCat(
          R"({"stopReason":"end_turn","_meta":{"quota":{"token_count":)"
          R"({"input_tokens":)",
          tokens.input + tokens.cached, R"(,"output_tokens":)", tokens.output,
          R"(},"model_usage":[]}}})"));
}

std::string AcpWire::Fail(absl::string_view message) {
  return AcpError(prompt_id_, 500, message);
}

std::string AcpWire::Interrupt() {
  std::string lines;
  for (const Running& run : running()) {
    lines +=
        Update("tool_call_update", "completed",
               {.id = run.id,
                .title = run.command,
                .kind = "execute",
                .content_json = TextContent("Command cancelled by user.")});
  }
  ForgetTurn();
  return lines + AcpResult(prompt_id_, R"({"stopReason":"cancelled"})");
}

}  // namespace troika::fake
