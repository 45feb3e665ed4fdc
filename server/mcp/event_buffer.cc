#include "server/mcp/event_buffer.h"

#include <algorithm>
#include <variant>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/json.h"
#include "base/utf8.h"
#include "dto/json.h"
#include "server/mcp/defaults.h"

namespace troika {
namespace {

constexpr size_t kMaxBuffers = 64;
constexpr size_t kChunk = size_t{256} << 10;
// Only the end of a longer file is read.
constexpr int64_t kMaxHistory = int64_t{2} << 20;
constexpr size_t kMaxSummary = 300;
constexpr size_t kMaxLine = 1000;
constexpr size_t kToolOutputLines = 20;

std::string Summary(absl::string_view text) {
  const absl::string_view cut =
      CutAtCharacter(absl::StripAsciiWhitespace(text), kMaxSummary);
  return std::string(cut);
}

// The member of a tool's input that says most about the call.
std::string InputSummary(const ToolUse& tool) {
  json::Parser parser;
  const auto input = parser.Parse(tool.input_json);
  if (!input.ok()) return tool.name;
  for (const absl::string_view member :
       {"command", "file_path", "path", "notebook_path", "query", "url",
        "pattern", "description"}) {
    const absl::string_view text = input->Get(member).StringOr("");
    if (!text.empty()) return Summary(text);
  }
  return tool.server.empty() ? tool.name
                             : absl::StrCat(tool.server, ".", tool.name);
}

// Codex's name for what the tool does.
std::string ItemType(const ToolUse& tool) {
  if (!tool.server.empty()) return "mcp_tool_call";
  if (tool.name == "Bash") return "command_execution";
  if (tool.name == "Edit" || tool.name == "Write" || tool.name == "MultiEdit" ||
      tool.name == "NotebookEdit") {
    return "file_change";
  }
  if (tool.name == "WebSearch" || tool.name == "WebFetch") return "web_search";
  if (tool.name == "TodoWrite") return "todo_list";
  return "dynamic_tool_call";
}

}  // namespace

void EventBuffer::Update(const EventFile& file) {
  if (offset_ > file.size()) {  // The file was begun again.
    offset_ = -1;
    last_ = last_shown_ = kBeforeAll;
    items_.clear();
    lines_.clear();
  }
  bool skip_partial = false;
  if (offset_ < 0) {
    offset_ = std::max(file.begin(), file.size() - kMaxHistory);
    skip_partial = offset_ > file.begin();
  }
  std::string text;
  json::Parser parser;
  int64_t read_to = offset_;
  while (read_to < file.size()) {
    const auto n = file.Read(read_to, kChunk, &text);
    if (!n.ok() || *n == 0) return;
    read_to += static_cast<int64_t>(*n);
    absl::string_view rest = text;
    for (size_t end = rest.find("\n\n"); end != absl::string_view::npos;
         end = rest.find("\n\n")) {
      const absl::string_view frame = rest.substr(0, end);
      rest.remove_prefix(end + 2);
      offset_ += static_cast<int64_t>(end + 2);
      if (std::exchange(skip_partial, false)) continue;
      const size_t data = frame.find("\ndata: ");
      if (!absl::StartsWith(frame, "id: ") || data == frame.npos) continue;
      const auto value = parser.Parse(frame.substr(data + 7));
      if (!value.ok()) continue;
      const auto message = ReadEvent(*value);
      if (message.ok() && message->id > last_) Add(*message);
    }
    text.erase(0, text.size() - rest.size());
  }
}

void EventBuffer::AddItem(const Message& message, Item item) {
  item.changed = last_shown_ = message.id;
  items_.push_back(std::move(item));
  if (items_.size() > max_items_) items_.pop_front();
}

void EventBuffer::AddLines(const EventId& id, absl::string_view text,
                           size_t at_most) {
  text = absl::StripTrailingAsciiWhitespace(text);
  if (text.empty()) return;
  const std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  const size_t from = lines.size() > at_most ? lines.size() - at_most : 0;
  for (size_t i = from; i < lines.size(); ++i) {
    lines_.push_back(
        {.id = id, .text = std::string(CutAtCharacter(lines[i], kMaxLine))});
  }
  last_shown_ = id;
  while (lines_.size() > static_cast<size_t>(mcp::kMaxOutputLines)) {
    lines_.pop_front();
  }
}

void EventBuffer::UpdateTool(const EventId& id, absl::string_view tool_use_id,
                             absl::string_view status) {
  for (auto it = items_.rbegin(); it != items_.rend(); ++it) {
    if (it->tool_use_id != tool_use_id || tool_use_id.empty()) continue;
    if (it->status == status) return;
    it->status = std::string(status);
    it->changed = last_shown_ = id;
    return;
  }
}

void EventBuffer::Add(const Message& message) {
  last_ = message.id;
  const auto& payload = message.payload;
  if (const auto* text = std::get_if<Text>(&payload)) {
    AddItem(message, {.type = "agent_message",
                      .status = "completed",
                      .summary = Summary(text->text)});
    AddLines(message.id, text->text, mcp::kMaxOutputLines);
  } else if (const auto* thought = std::get_if<Thinking>(&payload)) {
    AddItem(message, {.type = "reasoning",
                      .status = "completed",
                      .summary = Summary(thought->text)});
  } else if (const auto* tool = std::get_if<ToolUse>(&payload)) {
    AddItem(message, {.type = ItemType(*tool),
                      .status = "started",
                      .summary = InputSummary(*tool),
                      .tool_use_id = tool->id});
    const bool is_command = items_.back().type == "command_execution";
    AddLines(message.id,
             is_command
                 ? absl::StrCat("$ ", items_.back().summary)
                 : absl::StrCat("[", tool->name, "] ", items_.back().summary),
             kToolOutputLines);
  } else if (const auto* delta = std::get_if<ToolOutputDelta>(&payload)) {
    UpdateTool(message.id, delta->tool_use_id, "in_progress");
  } else if (const auto* result = std::get_if<ToolResult>(&payload)) {
    UpdateTool(message.id, result->tool_use_id,
               result->is_error ? "failed" : "completed");
    AddLines(message.id, result->output, kToolOutputLines);
  } else if (const auto* todo = std::get_if<Todo>(&payload)) {
    const auto done = std::count_if(
        todo->items.begin(), todo->items.end(), [](const Todo::Item& item) {
          return item.status == Todo::Status::kCompleted;
        });
    AddItem(message, {.type = "todo_list",
                      .status = "completed",
                      .summary = absl::StrCat(done, " of ", todo->items.size(),
                                              " steps are done")});
  } else if (const auto* notice = std::get_if<Notice>(&payload)) {
    if (notice->kind != Notice::Kind::kError) return;
    AddItem(message, {.type = "error",
                      .status = "failed",
                      .summary = Summary(notice->text)});
    AddLines(message.id, notice->text, kToolOutputLines);
  } else if (const auto* ended = std::get_if<Result>(&payload)) {
    if (!ended->is_error) return;
    AddItem(message, {.type = "error",
                      .status = "failed",
                      .summary = Summary(ended->error)});
    AddLines(message.id, ended->error, kToolOutputLines);
  } else if (const auto* step = std::get_if<Lifecycle>(&payload)) {
    if (step->kind == Lifecycle::Kind::kTurnAsked) items_.clear();
  } else if (const auto* raw = std::get_if<Raw>(&payload)) {
    if (raw->type == "stderr") {
      AddLines(message.id, raw->line, kToolOutputLines);
    }
  }
}

std::string EventBuffer::Latest() const {
  if (items_.empty()) return "";
  const Item& item = items_.back();
  return absl::StrCat(item.type, " ", item.status, ": ",
                      CutAtCharacter(item.summary, 100));
}

EventBuffer& EventBuffers::Get(const std::string& task, size_t max_items) {
  auto it = std::find_if(buffers_.begin(), buffers_.end(),
                         [&](const auto& one) { return one.first == task; });
  if (it != buffers_.end() && it->second.max_items() >= max_items) {
    buffers_.splice(buffers_.begin(), buffers_, it);
  } else {
    if (it != buffers_.end()) buffers_.erase(it);
    buffers_.emplace_front(task, EventBuffer(max_items));
    if (buffers_.size() > kMaxBuffers) buffers_.pop_back();
  }
  return buffers_.front().second;
}

}  // namespace troika
