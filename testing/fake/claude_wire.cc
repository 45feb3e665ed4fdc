// Implements the wire of `claude -p --output-format stream-json`.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "testing/fake/claude_lines.h"
#include "testing/fake/wire.h"

namespace troika::fake {
namespace {

using IsError = ClaudeLines::IsError;

json::ObjectWriter TextBlock(absl::string_view text) {
  json::ObjectWriter block;
  block.String("type", "text").String("text", text);
  return block;
}

// Suggests to allow the tool for the project, as the CLI does for commands.
std::string SuggestionFor(absl::string_view tool) {
  const std::string rule = json::ObjectWriter().String("toolName", tool).Take();
  return absl::StrCat("[",
                      json::ObjectWriter()
                          .String("type", "addRules")
                          .Json("rules", absl::StrCat("[", rule, "]"))
                          .String("behavior", "allow")
                          .String("destination", "localSettings")
                          .Take(),
                      "]");
}

class ClaudeWire final : public Wire {
 public:
  explicit ClaudeWire(const WireOptions& options)
      : Wire(options), lines_(options) {}

  std::string StartTurn(absl::string_view) override {
    ForgetTurn();
    ++messages_;
    return lines_.Init();
  }

  std::string TextLine(absl::string_view text) override {
    return Assistant(TextBlock(text));
  }

  std::string Think(absl::string_view text) override {
    return Assistant(json::ObjectWriter()
                         .String("type", "thinking")
                         .String("thinking", text)
                         .String("signature", "ZmFrZQ=="));
  }

  void SetModel(absl::string_view model) override { lines_.set_model(model); }
  std::string WriteFile(const FileWritten& file) override;
  std::string Ask(const Asked& asked) override;
  std::optional<AskAnswer> AnswerIn(absl::string_view line) const override;
  std::string EndAsk(const AskAnswer& answer) override;
  std::string CancelAsk() override {
    return absl::StrCat(json::ObjectWriter()
                            .String("type", "control_cancel_request")
                            .String("request_id", RequestId())
                            .Take(),
                        "\n");
  }

  std::string Todo(absl::Span<const TodoEntry> entries) override {
    return Since(kClaudeTaskTools) ? Tasks(entries) : TodoWrite(entries);
  }

  std::string Succeed() override {
    const Tokens turn = TakeTokens();
    spent_ += turn;
    return lines_.ResultLine({.subtype = "success",
                              .text = last_text(),
                              .stop_reason = "end_turn",
                              .terminal_reason = "completed",
                              .turn = turn,
                              .process = spent_});
  }

  // An error of the model's API has the subtype success with is_error set.
  std::string Fail(absl::string_view message) override {
    return lines_.Assistant({.message_id = MessageId(), .model = "<synthetic>"},
                            TextBlock(message)) +
           lines_.ResultLine({.subtype = "success",
                              .is_error = IsError::kYes,
                              .text = message,
                              .stop_reason = "stop_sequence",
                              .terminal_reason = "api_error",
                              .process = spent_});
  }

  std::string Interrupt() override;

 private:
  struct Task {
    std::string subject;
    TodoEntry::Status status = TodoEntry::Status::kPending;
    bool deleted = false;
  };

  struct Output {
    std::string text;
    IsError is_error = IsError::kNo;
    std::string details;  // JSON.
  };

  std::string NewToolId(absl::string_view) override {
    return absl::StrFormat("toolu_%03d", ++tools_);
  }

  std::string StartRunLines(const Running& run) override {
    return Use("Bash", run.id,
               json::ObjectWriter().String("command", run.command).Take());
  }

  std::string EndRunLines(const Running& run,
                          const CommandOutcome& outcome) override;

  std::string Use(absl::string_view name, absl::string_view id,
                  absl::string_view input) {
    return Assistant(json::ObjectWriter()
                         .String("type", "tool_use")
                         .String("id", id)
                         .String("name", name)
                         .Json("input", input));
  }

  std::string ToolResult(absl::string_view id, const Output& output) {
    // The next block belongs to another message of the model. The first
    // versions report tokens only by message, so their turns have just one.
    if (Since(kClaudeUsageInResult)) ++messages_;
    return lines_.User(
        json::ObjectWriter()
            .String("tool_use_id", id)
            .String("type", "tool_result")
            .String("content", output.text)
            .Json("is_error",
                  output.is_error == IsError::kYes ? "true" : "false"),
        output.details);
  }

  // Writes a tool use and its immediate result.
  std::string Tool(absl::string_view name, absl::string_view input,
                   const Output& output) {
    const std::string id = NewToolId(name);
    std::string lines = Use(name, id, input);
    return lines + ToolResult(id, output);
  }

  std::string Assistant(json::ObjectWriter block) {
    return lines_.Assistant({.message_id = MessageId(),
                             .model = lines_.model(),
                             .tokens = tokens()},
                            std::move(block));
  }

  std::string MessageId() const {
    return absl::StrFormat("msg_%03d", messages_);
  }

  std::string RequestId() const { return absl::StrCat("ask-", asks_); }

  std::string TodoWrite(absl::Span<const TodoEntry> entries);
  std::string Tasks(absl::Span<const TodoEntry> entries);
  size_t FindTask(absl::string_view subject) const;
  std::string CreateTask(const std::string& subject);
  std::string UpdateTask(size_t index, absl::string_view status);

  ClaudeLines lines_;
  int messages_ = 0;
  int tools_ = 0;
  int asks_ = 0;
  std::string asked_id_;  // Id of the tool use that was asked for last.
  Tokens spent_;          // Tokens used by this process.
  std::vector<Task> tasks_;
};

std::string ClaudeWire::WriteFile(const FileWritten& file) {
  const std::string details =
      json::ObjectWriter()
          .String("type", file.existed ? "update" : "create")
          .String("filePath", file.path)
          .String("content", file.content)
          .Json("structuredPatch", "[]")
          .Json("originalFile", "null")
          .Take();
  return Tool(
      "Write",
      json::ObjectWriter()
          .String("file_path", file.path)
          .String("content", file.content)
          .Take(),
      {.text = absl::StrCat("File ", file.existed ? "updated" : "created",
                            " successfully at: ", file.path),
       .details = details});
}

std::string ClaudeWire::Ask(const Asked& asked) {
  if (!options().asks) return "";
  asked_id_ = NewToolId(asked.tool);
  ++asks_;
  const std::string request =
      json::ObjectWriter()
          .String("subtype", "can_use_tool")
          .String("tool_name", asked.tool)
          .Json("input", asked.input_json)
          .Json("permission_suggestions", SuggestionFor(asked.tool))
          .String("tool_use_id", asked_id_)
          .Take();
  return absl::StrCat(Use(asked.tool, asked_id_, asked.input_json),
                      json::ObjectWriter()
                          .String("type", "control_request")
                          .String("request_id", RequestId())
                          .Json("request", request)
                          .Take(),
                      "\n");
}

std::optional<AskAnswer> ClaudeWire::AnswerIn(absl::string_view line) const {
  json::Parser parser;
  const absl::StatusOr<json::Value> value = parser.Parse(line);
  if (!value.ok() || value->Get("type").StringOr("") != "control_response") {
    return std::nullopt;
  }
  const json::Value response = value->Get("response");
  if (response.Get("request_id").StringOr("") != RequestId()) {
    return std::nullopt;
  }
  const json::Value said = response.Get("response");
  const json::Value input = said.Get("updatedInput");
  return AskAnswer{.allowed = said.Get("behavior").StringOr("") == "allow",
                   .message = std::string(said.Get("message").StringOr("")),
                   .input_json = input.IsObject() ? input.ToJson() : ""};
}

std::string ClaudeWire::EndAsk(const AskAnswer& answer) {
  if (answer.allowed) {
    return ToolResult(
        asked_id_, {.text = absl::StrCat("Did as asked: ", answer.input_json),
                    .details = "{}"});
  }
  return ToolResult(asked_id_, {.text = answer.message,
                                .is_error = IsError::kYes,
                                .details = R"("User rejected tool use")"});
}

std::string ClaudeWire::EndRunLines(const Running& run,
                                    const CommandOutcome& outcome) {
  if (outcome.exit_code == 0) {
    return ToolResult(run.id, {.text = outcome.output,
                               .details = json::ObjectWriter()
                                              .String("stdout", outcome.output)
                                              .String("stderr", "")
                                              .Json("interrupted", "false")
                                              .Take()});
  }
  // Older versions don't report the exit code.
  std::string text = outcome.output;
  if (Since(kClaudeToolUseResult)) {
    text = absl::StrCat("Exit code ", outcome.exit_code,
                        text.empty() ? "" : "\n", text);
  }
  std::string details;
  json::AppendQuoted(absl::StrCat("Error: ", text), &details);
  return ToolResult(run.id, {.text = std::move(text),
                             .is_error = IsError::kYes,
                             .details = std::move(details)});
}

std::string ClaudeWire::Interrupt() {
  std::string lines;
  const bool in_tool = AnyRunning();
  for (const Running& run : running()) {
    lines += ToolResult(run.id, {.text = "The user stopped this tool use.",
                                 .is_error = IsError::kYes,
                                 .details = R"("User rejected tool use")"});
  }
  lines += lines_.User(
      TextBlock(in_tool ? "[Request interrupted by user for tool use]"
                        : "[Request interrupted by user]"),
      "");
  ForgetTurn();
  return lines +
         lines_.ResultLine({.subtype = "error_during_execution",
                            .is_error = IsError::kYes,
                            .error = "interrupted",
                            .stop_reason = "tool_use",
                            .terminal_reason =
                                in_tool ? "aborted_tools" : "aborted_streaming",
                            .process = spent_});
}

std::string ClaudeWire::TodoWrite(absl::Span<const TodoEntry> entries) {
  std::vector<std::string> todos;
  for (const TodoEntry& entry : entries) {
    todos.push_back(json::ObjectWriter()
                        .String("content", entry.text)
                        .String("status", script::StatusName(entry.status))
                        .String("activeForm", entry.text)
                        .Take());
  }
  const std::string list = JsonArray(todos);
  return Tool("TodoWrite", json::ObjectWriter().Json("todos", list).Take(),
              {.text = "Todos have been modified successfully.",
               .details = json::ObjectWriter().Json("newTodos", list).Take()});
}

// Newer versions report only the changes of a list.
std::string ClaudeWire::Tasks(absl::Span<const TodoEntry> entries) {
  std::string lines;
  std::vector<bool> kept(tasks_.size());
  for (const TodoEntry& entry : entries) {
    const size_t i = FindTask(entry.text);
    if (i == tasks_.size()) {
      lines += CreateTask(entry.text);
      kept.push_back(true);
    }
    kept[i] = true;
    if (tasks_[i].status != entry.status) {
      tasks_[i].status = entry.status;
      lines += UpdateTask(i, script::StatusName(entry.status));
    }
  }
  for (size_t i = 0; i < kept.size(); ++i) {
    if (kept[i] || tasks_[i].deleted) continue;
    tasks_[i].deleted = true;
    lines += UpdateTask(i, "deleted");
  }
  return lines;
}

size_t ClaudeWire::FindTask(absl::string_view subject) const {
  size_t i = 0;
  while (i < tasks_.size() &&
         (tasks_[i].deleted || tasks_[i].subject != subject)) {
    ++i;
  }
  return i;
}

std::string ClaudeWire::CreateTask(const std::string& subject) {
  tasks_.push_back({.subject = subject});
  const std::string id = absl::StrCat(tasks_.size());
  const std::string task =
      json::ObjectWriter().String("id", id).String("subject", subject).Take();
  return Tool(
      "TaskCreate", json::ObjectWriter().String("subject", subject).Take(),
      {.text = absl::StrCat("Task #", id, " created successfully: ", subject),
       .details = json::ObjectWriter().Json("task", task).Take()});
}

std::string ClaudeWire::UpdateTask(size_t index, absl::string_view status) {
  const std::string id = absl::StrCat(index + 1);
  return Tool(
      "TaskUpdate",
      json::ObjectWriter().String("taskId", id).String("status", status).Take(),
      {.text = absl::StrCat("Updated task #", id, " status"),
       .details = json::ObjectWriter()
                      .Json("success", "true")
                      .String("taskId", id)
                      .Take()});
}

}  // namespace

std::unique_ptr<Wire> NewClaudeWire(const WireOptions& options) {
  return std::make_unique<ClaudeWire>(options);
}

}  // namespace troika::fake
