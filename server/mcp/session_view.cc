#include "server/mcp/session_view.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "agent/registry.h"
#include "base/json_writer.h"
#include "base/status_macros.h"
#include "dto/proto_json.h"
#include "mcp/tool.h"
#include "server/mcp/pending_question.h"
#include "server/mcp/session_lookup.h"

namespace troika {
namespace {

// How many bytes of JSON each part of a status may have. Together with names
// and a question (kQuestionRoom) they stay below mcp::kMaxResult.
constexpr size_t kResultRoom = 14000;
constexpr size_t kOutputRoom = 5000;
constexpr size_t kItemsRoom = 5000;
constexpr size_t kErrorRoom = 2000;

std::string Quoted(absl::string_view text) {
  std::string json;
  json::AppendQuoted(text, &json);
  return json;
}

bool IsNew(const EventId& id, const StatusOptions& options) {
  return !options.cursor || id > options.cursor->after;
}

std::string OutputText(const EventBuffer& events,
                       const StatusOptions& options) {
  std::vector<absl::string_view> lines;
  size_t used = 0;
  for (auto it = events.lines().rbegin(); it != events.lines().rend(); ++it) {
    if (!IsNew(it->id, options) || lines.size() == options.output_lines) break;
    used += Quoted(it->text).size();
    if (used > kOutputRoom) break;
    lines.push_back(it->text);
  }
  std::reverse(lines.begin(), lines.end());
  return absl::StrJoin(lines, "\n");
}

std::string ItemsJson(const EventBuffer& events, const StatusOptions& options) {
  std::vector<std::string> items;
  size_t used = 0;
  for (auto it = events.items().rbegin(); it != events.items().rend(); ++it) {
    if (items.size() == options.max_items) break;
    if (!IsNew(it->changed, options)) continue;
    std::string item = json::ObjectWriter()
                           .String("itemType", it->type)
                           .String("status", it->status)
                           .String("summary", it->summary)
                           .Take();
    used += item.size() + 1;
    if (used > kItemsRoom) break;
    items.push_back(std::move(item));
  }
  std::reverse(items.begin(), items.end());
  return absl::StrCat("[", absl::StrJoin(items, ","), "]");
}

}  // namespace

absl::StatusOr<Cursor> ReadCursor(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('@', 1));
  Cursor cursor;
  const auto after = ParseEventId(parts.first);
  if (!after || (!parts.second.empty() &&
                 (!absl::SimpleAtoi(parts.second, &cursor.result_offset) ||
                  cursor.result_offset < 0))) {
    return absl::InvalidArgumentError(
        "cursor: must be the cursor of an earlier result");
  }
  cursor.after = *after;
  return cursor;
}

std::string UsageJson(const v1::TokenCounts& tokens) {
  return json::ObjectWriter()
      .Json("inputTokens", absl::StrCat(tokens.input_tokens() +
                                        tokens.cache_write_input_tokens()))
      .Json("cachedInputTokens", absl::StrCat(tokens.cached_input_tokens()))
      .Json("outputTokens", absl::StrCat(tokens.output_tokens()))
      .Take();
}

std::string DenialsJson(const v1::Result& result) {
  constexpr size_t kMaxShown = 5;
  std::vector<std::string> denials;
  for (const v1::Denial& denial : result.denials()) {
    if (denials.size() == kMaxShown) break;
    denials.push_back(
        json::ObjectWriter()
            .String("tool", denial.tool_name())
            .String("reason", mcp::CutForJson(denial.reason(), 200))
            .Take());
  }
  return absl::StrCat("[", absl::StrJoin(denials, ","), "]");
}

std::string SessionIdOf(const v1::Task& task) {
  return task.session_id().empty() ? task.id() : task.session_id();
}

std::string FailureText(const v1::Task& task) {
  std::string text = task.reason();
  if (text.empty()) text = task.result().error();
  if (text.empty()) text = "the agent failed";
  if (!task.hint().empty()) absl::StrAppend(&text, "; ", task.hint());
  if (!task.stderr_tail().empty()) {
    absl::StrAppend(&text, "\nstderr: ", task.stderr_tail());
  }
  return text;
}

std::string StatusJson(const v1::Task& task, const EventBuffer& events,
                       const StatusOptions& options) {
  const std::string status = StatusOf(task);
  json::ObjectWriter writer;
  writer.String("sessionId", SessionIdOf(task))
      .String("taskId", task.id())
      .String("status", status);
  // A cursor of before the first event is that of an empty task.
  std::string cursor =
      EventIdText(events.last() == kBeforeAll ? EventId{} : events.last());
  bool more = false;
  const bool has_ended = status != "active" && status != "awaiting_approval";
  if (has_ended && !task.result().text().empty()) {
    const std::string& result = task.result().text();
    const size_t from =
        options.cursor
            ? std::min(static_cast<size_t>(options.cursor->result_offset),
                       result.size())
            : 0;
    const absl::string_view rest = absl::string_view(result).substr(from);
    const absl::string_view shown = mcp::CutForJson(rest, kResultRoom);
    writer.String("result", shown);
    if (shown.size() < rest.size()) {
      more = true;
      absl::StrAppend(&cursor, "@", from + shown.size());
    }
  }
  if (status == "error") {
    writer.String("error", mcp::CutForJson(FailureText(task), kErrorRoom));
  }
  writer.String("recentOutput", OutputText(events, options));
  if (const auto pending = PendingQuestionOf(task)) {
    writer.Json("pendingQuestion", PendingQuestionJson(task, *pending));
  }
  writer.Json("itemEvents", ItemsJson(events, options));
  if (task.has_usage()) {
    writer.Json("usage", UsageJson(task.usage().total()));
  }
  writer.Json("turnCount", absl::StrCat(task.turns()));
  if (task.result().denial_count() > 0 && has_ended) {
    writer.Json("denials", DenialsJson(task.result()));
  }
  writer.String("cursor", cursor).Json("more", more ? "true" : "false");
  return writer.Take();
}

}  // namespace troika
