#include "task/state.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json.h"

namespace troika {
namespace {

// In the order of TaskStatus.
constexpr absl::string_view kStatusIds[] = {
    "queued", "starting", "running", "awaiting_approval", "awaiting_answer",
    "idle",   "done",     "failed",  "interrupted",       "cancelled"};
static_assert(std::size(kStatusIds) == kTaskStatuses);

std::string Quoted(absl::string_view text) {
  std::string quoted;
  json::AppendQuoted(text, &quoted);
  return quoted;
}

std::string TimeText(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E6SZ", time, absl::UTCTimeZone());
}

class Lines {
 public:
  void Add(absl::string_view name, absl::string_view text) {
    if (!text.empty()) absl::StrAppend(&out_, name, ": ", Quoted(text), "\n");
  }
  void Add(absl::string_view name, int64_t number) {
    if (number != 0) absl::StrAppend(&out_, name, ": ", number, "\n");
  }
  void Add(absl::string_view name, const std::optional<int>& number) {
    if (number) absl::StrAppend(&out_, name, ": ", *number, "\n");
  }
  void Add(absl::string_view name, const std::optional<absl::Time>& time) {
    if (time) absl::StrAppend(&out_, name, ": ", TimeText(*time), "\n");
  }
  void AddFlag(absl::string_view name, bool flag) {
    if (flag) absl::StrAppend(&out_, name, "\n");
  }
  std::string Take() { return std::move(out_); }

 private:
  std::string out_;
};

void AddResult(const Result& result, Lines* lines) {
  lines->AddFlag(result.is_error ? "result: error" : "result: good", true);
  lines->AddFlag("result.synthetic", result.synthetic);
  lines->Add("result.error", result.error);
  lines->Add("result.hint", result.hint);
  lines->Add("result.text", result.text);
  lines->Add("result.reason", result.reason);
  if (result.duration) {
    lines->Add("result.duration", absl::FormatDuration(*result.duration));
  }
}

void AddPending(const TaskState& state, Lines* lines) {
  for (const auto& [id, pending] : state.approvals) {
    const Approval& approval = pending.request;
    lines->Add(absl::StrCat("approval ", Quoted(id)),
               absl::StrJoin(
                   {EventIdText(pending.asked), approval.tool_use_id,
                    approval.tool_name, approval.input_json, approval.reason},
                   " | "));
    lines->AddFlag(absl::StrCat("answered ", Quoted(id)), pending.answered);
  }
  for (const auto& [id, pending] : state.questions) {
    const Question& question = pending.request;
    const std::string name = absl::StrCat("question ", Quoted(id));
    lines->Add(name,
               absl::StrJoin({EventIdText(pending.asked), question.tool_use_id},
                             " | "));
    lines->AddFlag(absl::StrCat("answered ", Quoted(id)), pending.answered);
    for (const Question::Item& item : question.items) {
      lines->Add(absl::StrCat(name, item.multi_select ? " any of" : " one of"),
                 absl::StrJoin({item.header, item.text,
                                absl::StrJoin(item.options, ", ")},
                               " | "));
    }
  }
}

void AddUsage(const TaskState& state, Lines* lines) {
  lines->Add("usage.input", state.usage.input);
  lines->Add("usage.cached", state.usage.cached);
  lines->Add("usage.cache_write", state.usage.cache_write);
  lines->Add("usage.output", state.usage.output);
  lines->Add("usage.reasoning", state.usage.reasoning);
  if (state.cost_source != CostSource::kNone) {
    lines->Add(state.cost_source == CostSource::kReported ? "cost.reported"
                                                          : "cost.estimated",
               absl::StrCat(state.cost_usd));
  }
}

}  // namespace

absl::string_view TaskStatusId(TaskStatus status) {
  return kStatusIds[static_cast<int>(status)];
}

bool HasEnded(TaskStatus status) { return status >= TaskStatus::kDone; }

std::string TaskState::DebugString() const {
  Lines lines;
  lines.Add("task", task);
  if (harness) lines.Add("harness", HarnessId(*harness));
  lines.Add("cwd", cwd);
  lines.Add("title", title);
  for (const auto& [key, value] : labels) {
    lines.Add(absl::StrCat("label ", Quoted(key)), value);
  }
  lines.Add("parent", parent);
  lines.Add("asked_model", asked_model);
  if (edit_mode) lines.Add("edit_mode", EditModeId(*edit_mode));
  lines.Add("last_request_key", last_request_key);
  lines.Add("status", TaskStatusId(status));
  lines.Add("error", error);
  lines.Add("hint", hint);
  lines.Add("session_id", session_id);
  lines.Add("model", model);
  lines.Add("version", version);
  lines.AddFlag("session_mismatch", session_mismatch);
  lines.Add("generation", generation);
  lines.AddFlag("process_alive", process_alive);
  lines.AddFlag("input_closed", input_closed);
  lines.Add("exit_code", exit_code);
  lines.Add("signal", signal);
  if (ending.kind != Ending::Kind::kNone) {
    lines.Add(ending.kind == Ending::Kind::kInterrupt ? "ending.interrupt"
                                                      : "ending.failure",
              ending.text);
  }
  lines.Add("trouble", trouble);
  lines.Add("turns", turns);
  lines.Add("turns_waiting", turns_waiting);
  lines.AddFlag("turn_open", turn_open);
  if (result) AddResult(*result, &lines);
  AddPending(*this, &lines);
  AddUsage(*this, &lines);
  lines.Add("rate_limit", rate_limit);
  lines.Add("rate_limit_resets", rate_limit_resets);
  lines.Add("created", created);
  lines.Add("started", started);
  lines.Add("turn_started", turn_started);
  lines.Add("last_activity", last_activity);
  lines.Add("ended", ended);
  if (worked != absl::ZeroDuration()) {
    lines.Add("worked", absl::FormatDuration(worked));
  }
  lines.Add("last_record", last_record);
  return lines.Take();
}

}  // namespace troika
