#include "server/mcp/job_view.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json_writer.h"
#include "base/utf8.h"
#include "mcp/tool.h"
#include "server/mcp/session_lookup.h"
#include "server/mcp/session_view.h"

namespace troika {
namespace {

// Bytes of JSON that parts of a result may have, so that all of it stays below
// mcp::kMaxResult.
constexpr size_t kResponseRoom = 30000;
constexpr size_t kResponseRoomWithEvents = 16000;
constexpr size_t kEventsRoom = 14000;
constexpr size_t kTextRoom = 2000;
constexpr size_t kPromptRoom = 300;
constexpr size_t kChunk = size_t{64} << 10;

std::string Label(const v1::Task& task, const char* name) {
  const auto it = task.labels().find(name);
  return it == task.labels().end() ? "" : it->second;
}

// Milliseconds of a Duration or a Timestamp.
template <typename T>
int64_t MillisOf(const T& time) {
  return time.seconds() * 1000 + time.nanos() / 1000000;
}

// Without the time in the queue.
std::optional<int64_t> DurationMs(const v1::Task& task) {
  if (!task.has_started_at() || !JobHasEnded(task)) return std::nullopt;
  if (task.result().has_duration()) return MillisOf(task.result().duration());
  const int64_t end =
      MillisOf(task.has_ended_at() ? task.ended_at() : task.last_activity_at());
  return std::max<int64_t>(0, end - MillisOf(task.started_at()));
}

void AddMillis(absl::string_view name, const google::protobuf::Duration& time,
               json::ObjectWriter* out) {
  out->Json(name, absl::StrCat(MillisOf(time)));
}

// Fields by which the job was asked for.
void AddRequest(const v1::Task& task, json::ObjectWriter* out) {
  const std::string tool = Label(task, kToolLabel);
  out->String("job_id", task.id())
      .String("status", JobStatusOf(task))
      .String("tool_name", tool)
      .String("agent_instance", Label(task, kClientLabel))
      .String("task_name", Label(task, kTaskNameLabel))
      .String("cwd", task.cwd())
      .String("model",
              task.model().empty() ? Label(task, kModelLabel) : task.model())
      .String("edit_mode", v1::EditMode_Name(task.edit_mode()));
  const std::string resume = Label(task, kResumeLabel);
  if (resume == "latest") {
    out->Json("continue_latest", "true");
  } else if (!resume.empty()) {
    out->String("resume_session_id", resume);
  }
  if (task.timeouts().has_turn()) {
    AddMillis("timeout_ms", task.timeouts().turn(), out);
  }
  if (task.timeouts().has_tool()) {
    AddMillis("tool_timeout_ms", task.timeouts().tool(), out);
  }
}

// Fields about its end.
void AddEnd(const v1::Task& task, json::ObjectWriter* out) {
  if (!task.session_id().empty()) out->String("session_id", task.session_id());
  if (const auto duration = DurationMs(task)) {
    out->Json("duration_ms", absl::StrCat(*duration));
  }
  if (task.has_exit_code()) {
    out->Json("exit_code", absl::StrCat(task.exit_code()));
  }
  if (!JobHasEnded(task)) return;
  const std::string status = JobStatusOf(task);
  if (status != "completed") {
    const std::string& error =
        task.reason().empty() ? task.result().error() : task.reason();
    out->String("error", mcp::CutForJson(error, kTextRoom));
  }
  if (task.result().denial_count() > 0) {
    out->Json("denials", DenialsJson(task.result()));
  }
  if (!task.stderr_tail().empty()) {
    out->String("stderr", mcp::CutForJson(task.stderr_tail(), kTextRoom));
  }
  if (!task.hint().empty()) {
    out->String("hint", mcp::CutForJson(task.hint(), kTextRoom));
  }
  if (!task.document_path().empty()) {
    out->String("saved_to", task.document_path());
  }
}

}  // namespace

bool IsJob(const v1::Task& task) {
  return Label(task, kFamilyLabel) == kJobFamily;
}

bool JobHasEnded(const v1::Task& task) {
  const std::string status = JobStatusOf(task);
  return status != "queued" && status != "running";
}

std::string JobStatusOf(const v1::Task& task) {
  if (task.state() == v1::Task::queued) return "queued";
  if (task.state() == v1::Task::cancelled) return "cancelled";
  const std::string status = StatusOf(task);
  if (status == "done") return "completed";
  if (status == "error") return "failed";
  return status == "interrupted" ? "cancelled" : "running";
}

JobEvents ReadJobEvents(const EventFile& file, const EventId& after,
                        size_t room) {
  JobEvents events = {.last = after};
  int64_t offset = after == kBeforeAll || after == EventId{}
                       ? file.begin()
                       : file.After(after).value_or(file.begin());
  size_t used = 0;
  std::string text;
  while (offset < file.size()) {
    const auto n = file.Read(offset, kChunk, &text);
    if (!n.ok() || *n == 0) break;
    offset += static_cast<int64_t>(*n);
    absl::string_view rest = text;
    for (size_t end = rest.find("\n\n"); end != absl::string_view::npos;
         end = rest.find("\n\n")) {
      const absl::string_view frame = rest.substr(0, end);
      rest.remove_prefix(end + 2);
      const size_t data = frame.find("\ndata: ");
      if (!absl::StartsWith(frame, "id: ") || data == frame.npos) continue;
      const auto id = ParseEventId(frame.substr(4, data - 4));
      if (!id || *id <= after) continue;
      std::string json(frame.substr(data + 7));
      if (json.size() > room) {
        json = json::ObjectWriter()
                   .String("id", EventIdText(*id))
                   .Json("left_out_bytes", absl::StrCat(json.size()))
                   .Take();
      }
      if (used + json.size() + 1 > room) {
        events.more = true;
        return events;
      }
      used += json.size() + 1;
      events.json.push_back(std::move(json));
      events.last = *id;
    }
    text.erase(0, text.size() - rest.size());
  }
  return events;
}

std::string JobSummaryJson(const v1::Task& task) {
  json::ObjectWriter out;
  AddRequest(task, &out);
  out.String("prompt", CutAtCharacter(task.title(), kPromptRoom));
  AddEnd(task, &out);
  if (JobHasEnded(task) && Label(task, kForgetLabel) != "true" &&
      !task.result().text().empty()) {
    out.String("response", mcp::CutForJson(task.result().text(), kPromptRoom));
  }
  return out.Take();
}

std::string JobJson(const v1::Task& task, const std::optional<Cursor>& cursor,
                    const EventFile& events) {
  json::ObjectWriter out;
  AddRequest(task, &out);
  out.String("prompt", mcp::CutForJson(task.prompt(), kPromptRoom));
  AddEnd(task, &out);
  const bool forgets = Label(task, kForgetLabel) == "true";
  const bool exposes = Label(task, kExposeStreamLabel) == "true" && !forgets;
  EventId after = cursor ? cursor->after : EventId{};
  bool more = false;
  std::string offset;
  const std::string& answer = task.result().text();
  if (JobHasEnded(task) && !forgets && !answer.empty()) {
    const size_t from = std::min(
        static_cast<size_t>(cursor ? cursor->result_offset : 0), answer.size());
    const absl::string_view rest = absl::string_view(answer).substr(from);
    const absl::string_view shown = mcp::CutForJson(
        rest, exposes ? kResponseRoomWithEvents : kResponseRoom);
    if (!rest.empty()) out.String("response", shown);
    more = shown.size() < rest.size();
    offset = absl::StrCat("@", from + shown.size());
  }
  if (exposes) {
    const JobEvents stream = ReadJobEvents(events, after, kEventsRoom);
    out.Json("stream_events",
             absl::StrCat("[", absl::StrJoin(stream.json, ","), "]"));
    after = stream.last;
    more |= stream.more;
  }
  out.String("cursor",
             absl::StrCat(EventIdText(after == kBeforeAll ? EventId{} : after),
                          offset))
      .Json("more", more ? "true" : "false");
  return out.Take();
}

}  // namespace troika
