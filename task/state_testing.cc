#include "task/state_testing.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "agent/harness.h"
#include "base/json.h"

namespace troika {
namespace {

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
  lines->Add("result.denials", result.denial_count);
  for (const Denial& denial : result.denials) {
    lines->Add("result.denied",
               absl::StrJoin({denial.tool_use_id, denial.tool_name,
                              denial.reason, denial.by},
                             " | "));
  }
  if (result.duration) {
    lines->Add("result.duration", absl::FormatDuration(*result.duration));
  }
}

void AddInputs(const TaskState& state, Lines* lines) {
  lines->Add("input_count", state.input_count);
  lines->AddFlag("queue_held", state.queue_held);
  for (const TaskInput& input : state.inputs) {
    const Receipt& receipt = input.receipt;
    constexpr absl::string_view kStates[] = {"queued", "delivered", "failed",
                                             "withdrawn"};
    lines->Add(
        absl::StrCat("input ", receipt.id, " ",
                     kStates[static_cast<int>(receipt.state)]),
        absl::StrJoin(
            {receipt.text, receipt.by, absl::StrCat(receipt.images),
             absl::StrCat(receipt.turn), receipt.reason, input.request_key},
            " | "));
    lines->AddFlag(absl::StrCat("interrupts ", receipt.id), receipt.interrupts);
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
    lines->Add(absl::StrCat("choice ", Quoted(id)), approval.choice);
  }
  for (const Settled& settled : state.settled) {
    lines->Add(
        absl::StrCat("settled ", Quoted(settled.id)),
        absl::StrJoin({settled.choice, settled.text, settled.by, settled.via,
                       absl::StrCat(static_cast<int>(settled.delivery))},
                      " | "));
  }
  for (const OwedReason& owed : state.owed_reasons) {
    lines->Add(absl::StrCat("owed ", owed.key), owed.prompt);
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

std::string StateText(const TaskState& state) {
  Lines lines;
  lines.Add("task", state.task);
  if (state.harness) lines.Add("harness", HarnessId(*state.harness));
  lines.Add("cwd", state.cwd);
  lines.Add("title", state.title);
  for (const auto& [key, value] : state.labels) {
    lines.Add(absl::StrCat("label ", Quoted(key)), value);
  }
  lines.Add("parent", state.parent);
  lines.Add("fork.task", state.fork.task);
  lines.Add("fork.turn", state.fork.turn);
  lines.Add("asked_model", state.asked_model);
  if (state.edit_mode) lines.Add("edit_mode", EditModeId(*state.edit_mode));
  lines.Add("last_request_key", state.last_request_key);
  lines.Add("status", NameOf(state.status));
  lines.Add("error", state.error);
  lines.Add("hint", state.hint);
  lines.Add("session_id", state.session_id);
  lines.Add("session_began", state.session_began);
  lines.Add("model", state.model);
  lines.Add("version", state.version);
  lines.AddFlag("session_mismatch", state.session_mismatch);
  lines.Add("imported_from", state.imported_from);
  lines.Add("generation", state.generation);
  lines.AddFlag("process_alive", state.process_alive);
  lines.AddFlag("input_closed", state.input_closed);
  lines.Add("exit_code", state.exit_code);
  lines.Add("signal", state.signal);
  if (state.ending.kind != Ending::Kind::kNone) {
    lines.Add(state.ending.kind == Ending::Kind::kInterrupt ? "ending.interrupt"
                                                            : "ending.failure",
              state.ending.text);
  }
  lines.Add("trouble", state.trouble);
  lines.Add("turns", state.turns);
  lines.Add("turns_waiting", state.turns_waiting);
  lines.AddFlag("turn_open", state.turn_open);
  if (state.result) AddResult(*state.result, &lines);
  for (const auto& [turn, point] : state.fork_points) {
    lines.Add(absl::StrCat("fork_point ", turn), point);
  }
  if (state.outcome) lines.Add("outcome", NameOf(*state.outcome));
  AddInputs(state, &lines);
  AddPending(state, &lines);
  AddUsage(state, &lines);
  lines.Add("rate_limit", state.rate_limit);
  lines.Add("rate_limit_resets", state.rate_limit_resets);
  lines.Add("created", state.created);
  lines.Add("started", state.started);
  lines.Add("turn_started", state.turn_started);
  lines.Add("last_activity", state.last_activity);
  lines.Add("ended", state.ended);
  if (state.worked != absl::ZeroDuration()) {
    lines.Add("worked", absl::FormatDuration(state.worked));
  }
  lines.Add("last_record", state.last_record);
  return lines.Take();
}

}  // namespace troika
