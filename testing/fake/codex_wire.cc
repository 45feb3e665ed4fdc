// Implements the wire of `codex exec --json` since 0.43.
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/json_writer.h"
#include "testing/fake/wire.h"

namespace troika::fake {
namespace {

constexpr Version kFileChangeStarts = {0, 125, 0};
constexpr Version kNoLoginShell = {0, 125, 0};
constexpr Version kReasoningTokens = {0, 125, 0};
constexpr Version kCacheWriteTokens = {0, 166, 0};

std::string Line(absl::string_view type, absl::string_view key = "",
                 absl::string_view json = "") {
  json::ObjectWriter line;
  line.String("type", type);
  if (!key.empty()) line.Json(key, json);
  return line.Take() + "\n";
}

// Returns the command as bash would read it, quoted if necessary.
std::string Quoted(absl::string_view command) {
  constexpr absl::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./";
  if (command.find_first_not_of(kPlain) == absl::string_view::npos) {
    return std::string(command);
  }
  if (!absl::StrContains(command, "'")) {
    return absl::StrCat("'", command, "'");
  }
  return absl::StrCat(
      "/bin/bash -lc \"",
      absl::StrReplaceAll(
          command,
          {{"\\", "\\\\"}, {"\"", "\\\""}, {"$", "\\$"}, {"`", "\\`"}}),
      "\"");
}

std::string MessageOf(absl::string_view text) {
  return json::ObjectWriter().String("message", text).Take();
}

class CodexWire final : public Wire {
 public:
  explicit CodexWire(const WireOptions& options) : Wire(options) {}

  std::string StartTurn(absl::string_view) override {
    return absl::StrCat(json::ObjectWriter()
                            .String("type", "thread.started")
                            .String("thread_id", options().session_id)
                            .Take(),
                        "\n", Line("turn.started"));
  }

  std::string TextLine(absl::string_view text) override {
    return Item("item.completed",
                NewItem("agent_message").String("text", text));
  }

  std::string Think(absl::string_view text) override {
    return Item("item.completed", NewItem("reasoning").String("text", text));
  }

  std::string WriteFile(const FileWritten& file) override {
    const std::string id = NewToolId("");
    std::string lines;
    if (Since(kFileChangeStarts)) {
      lines = Item("item.started", FileChange(id, file, "in_progress"));
    }
    return lines + Item("item.completed", FileChange(id, file, "completed"));
  }

  std::string Todo(absl::Span<const TodoEntry> entries) override {
    std::vector<std::string> items;
    for (const TodoEntry& entry : entries) {
      const bool completed = entry.status == TodoEntry::Status::kCompleted;
      items.push_back(json::ObjectWriter()
                          .String("text", entry.text)
                          .Json("completed", completed ? "true" : "false")
                          .Take());
    }
    todos_ = JsonArray(items);
    const bool first = todo_id_.empty();
    if (first) todo_id_ = NewToolId("");
    return Item(first ? "item.started" : "item.updated", TodoList());
  }

  std::string Succeed() override {
    std::string lines;
    // The list is completed just before the turn.
    if (!todo_id_.empty()) lines = Item("item.completed", TodoList());
    TakeTokens();
    // Reports the thread's total, whose input includes cached tokens.
    json::ObjectWriter usage;
    usage.Json("input_tokens", absl::StrCat(total().input + total().cached))
        .Json("cached_input_tokens", absl::StrCat(total().cached));
    if (Since(kCacheWriteTokens)) usage.Json("cache_write_input_tokens", "0");
    usage.Json("output_tokens", absl::StrCat(total().output));
    if (Since(kReasoningTokens)) usage.Json("reasoning_output_tokens", "0");
    return lines + Line("turn.completed", "usage", usage.Take());
  }

  std::string Fail(absl::string_view message) override {
    std::string quoted;
    json::AppendQuoted(message, &quoted);
    return Line("error", "message", quoted) +
           Line("turn.failed", "error", MessageOf(message));
  }

 private:
  std::string NewToolId(absl::string_view) override {
    return absl::StrCat("item_", items_++);
  }

  std::string StartRunLines(const Running& run) override {
    return Item("item.started", Command(run)
                                    .String("aggregated_output", "")
                                    .Json("exit_code", "null")
                                    .String("status", "in_progress"));
  }

  std::string EndRunLines(const Running& run,
                          const CommandOutcome& outcome) override {
    return Item(
        "item.completed",
        Command(run)
            .String("aggregated_output",
                    absl::StrCat(outcome.output,
                                 outcome.output.empty() ? "" : "\n"))
            .Json("exit_code", absl::StrCat(outcome.exit_code))
            .String("status", outcome.exit_code == 0 ? "completed" : "failed"));
  }

  json::ObjectWriter NewItem(absl::string_view type) {
    return ItemOf(NewToolId(""), type);
  }

  static json::ObjectWriter ItemOf(absl::string_view id,
                                   absl::string_view type) {
    json::ObjectWriter item;
    item.String("id", id).String("type", type);
    return item;
  }

  json::ObjectWriter Command(const Running& run) const {
    json::ObjectWriter item = ItemOf(run.id, "command_execution");
    item.String("command", absl::StrCat(Since(kNoLoginShell) ? "/bin/bash -c "
                                                             : "/bin/bash -lc ",
                                        Quoted(run.command)));
    return item;
  }

  json::ObjectWriter TodoList() const {
    json::ObjectWriter item = ItemOf(todo_id_, "todo_list");
    item.Json("items", todos_);
    return item;
  }

  static json::ObjectWriter FileChange(absl::string_view id,
                                       const FileWritten& file,
                                       absl::string_view status) {
    const std::string change =
        json::ObjectWriter()
            .String("path", file.path)
            .String("kind", file.existed ? "update" : "add")
            .Take();
    json::ObjectWriter item = ItemOf(id, "file_change");
    item.Json("changes", JsonArray({change})).String("status", status);
    return item;
  }

  static std::string Item(absl::string_view event, json::ObjectWriter item) {
    return Line(event, "item", item.Take());
  }

  int items_ = 0;
  std::string todo_id_;
  std::string todos_;
};

}  // namespace

std::unique_ptr<Wire> NewCodexWire(const WireOptions& options) {
  return std::make_unique<CodexWire>(options);
}

}  // namespace troika::fake
