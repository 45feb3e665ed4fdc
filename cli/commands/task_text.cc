#include "cli/commands/task_text.h"

#include <map>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "cli/timeline/amounts.h"
#include "cli/timeline/terminal_text.h"
#include "cli/timeline/timeline.h"
#include "dto/proto_fields.h"
#include "dto/task.h"

namespace troika::cli {
namespace {

std::string WhenText(const google::protobuf::Timestamp& time, absl::Time now) {
  return absl::StrCat(absl::FormatTime("%Y-%m-%d %H:%M:%S", ToTime(time),
                                       absl::LocalTimeZone()),
                      ", ", AgeText(now - ToTime(time)), " ago");
}

std::string SpentText(const v1::Usage& proto) {
  Usage usage;
  FieldsFromProto(proto, &usage);
  std::vector<std::string> parts = {TokensText(usage.total),
                                    CostText(usage.total_cost)};
  std::erase(parts, "");
  return absl::StrJoin(parts, " · ");
}

// Lines of "name   value". Fields without a value are left out.
class Fields {
 public:
  void Add(absl::string_view name, absl::string_view value) {
    if (value.empty()) return;
    absl::string_view label = name;
    const std::string text = Sanitized(value);
    for (const absl::string_view line :
         absl::StrSplit(absl::StripTrailingAsciiWhitespace(text), '\n')) {
      absl::StrAppendFormat(&text_, "%-10s %s\n", label, line);
      label = "";
    }
  }
  std::string& text() { return text_; }

 private:
  std::string text_;
};

std::string LabelsText(const v1::Task& task) {
  const std::map<std::string, std::string> sorted(task.labels().begin(),
                                                  task.labels().end());
  return absl::StrJoin(sorted, " ", absl::PairFormatter("="));
}

std::string EndText(const v1::Task& task) {
  if (task.has_signal()) return absl::StrCat("signal ", task.signal());
  if (task.has_exit_code()) return absl::StrCat("code ", task.exit_code());
  return "";
}

std::string QueueText(const v1::Task& task) {
  int waiting = 0;
  for (const v1::Receipt& input : task.inputs()) {
    waiting += input.state() == v1::Receipt::queued && input.turn() == 0;
  }
  if (waiting == 0) return "";
  return absl::StrCat(waiting, waiting == 1 ? " input waits" : " inputs wait",
                      task.queue_held() ? ", held" : "", "; see troika queue ",
                      task.id());
}

void AddResult(const v1::Result& proto, Fields* fields) {
  Result result;
  FieldsFromProto(proto, &result);
  for (const Denial& denial : result.denials) {
    fields->Add(
        "denied",
        absl::StrCat(denial.tool_name, denial.tool_name.empty() ? "" : " ",
                     denial.tool_use_id, denial.by.empty() ? "" : " by ",
                     denial.by, denial.reason.empty() ? "" : ": ",
                     denial.reason));
  }
  const int more =
      result.denial_count - static_cast<int>(result.denials.size());
  if (more > 0) fields->Add("denied", absl::StrCat("and ", more, " more"));
  if (result.is_error) fields->Add("error", result.error);
  fields->Add("hint", result.hint);
  fields->Add("answer", result.text);
}

std::string JoinRows(const std::vector<std::string>& rows) {
  return absl::StrCat(absl::StrJoin(rows, "\n"), "\n");
}

// The flags of `troika respond` for what the approval offers.
std::string HowToDecide(const Approval& approval) {
  std::string text = " --allow, or --deny";
  for (const std::string& choice : approval.choices) {
    if (choice == kApprove || choice == kDeny) continue;
    absl::StrAppend(&text, ", or --choice ", SanitizedLine(choice));
  }
  return text;
}

}  // namespace

absl::Time ToTime(const google::protobuf::Timestamp& time) {
  return absl::FromUnixSeconds(time.seconds()) +
         absl::Nanoseconds(time.nanos());
}

std::string AgeText(absl::Duration age) {
  const int64_t seconds = std::max<int64_t>(0, absl::ToInt64Seconds(age));
  if (seconds < 60) return absl::StrCat(seconds, "s");
  if (seconds < 3600) return absl::StrCat(seconds / 60, "m");
  if (seconds < 48 * 3600) return absl::StrCat(seconds / 3600, "h");
  return absl::StrCat(seconds / 86400, "d");
}

std::string StateText(const v1::Task& task) {
  if (task.state() == v1::Task::state_unspecified) return "unknown";
  std::string text =
      absl::StrReplaceAll(v1::Task::State_Name(task.state()), {{"_", " "}});
  // A state that looks good does not hide how the turn ended.
  if ((task.state() == v1::Task::idle || task.state() == v1::Task::done) &&
      task.has_outcome() && task.outcome() != v1::done) {
    absl::StrAppend(&text, " (", v1::Outcome_Name(task.outcome()), ")");
  }
  if (task.has_queue_position() && task.queue_position() > 0) {
    absl::StrAppend(&text, " (", task.queue_position(), ")");
  }
  return text;
}

Table TaskTable() { return Table({"ID", "STATE", "HARNESS", "AGE", "TITLE"}); }

void AddTask(const v1::Task& task, absl::Time now, Table* table) {
  table->Add(
      {task.id(), StateText(task), task.harness(),
       task.has_created_at() ? AgeText(now - ToTime(task.created_at())) : "",
       task.title()});
}

std::string TaskLine(const v1::Task& task) {
  return absl::StrCat(task.id(), "  ", StateText(task), "  ",
                      SanitizedLine(task.title()), "\n");
}

std::map<std::string, std::string> ReadInputs(const v1::Task& task,
                                              client::ApiClient& api) {
  std::map<std::string, std::string> inputs;
  for (const v1::Approval& approval : task.approvals()) {
    const absl::StatusOr<Message> event =
        api.GetEvent(task.id(), approval.event_id());
    if (!event.ok()) continue;
    const auto* asked = std::get_if<Approval>(&event->payload);
    if (asked != nullptr && asked->id == approval.id()) {
      inputs[approval.id()] = asked->input_json;
    }
  }
  return inputs;
}

std::string Describe(Approval approval, const DescribeOptions& options) {
  const auto exact = options.inputs.find(approval.id);
  const bool is_exact = exact != options.inputs.end();
  if (is_exact) approval.input_json = exact->second;
  return absl::StrCat(
      JoinRows(Timeline({.width = options.columns}).Rows(approval)),
      is_exact ? ""
               : "  ! the exact input can't be read: numbers may be rounded, "
                 "and the order may differ\n");
}

std::string Describe(const v1::Task& task, const DescribeOptions& options) {
  const absl::Time now = options.now;
  Fields fields;
  fields.Add("task", task.id());
  fields.Add("title", task.title());
  fields.Add("state",
             absl::StrCat(StateText(task), task.reason().empty() ? "" : ": ",
                          task.reason()));
  fields.Add("trouble", task.trouble());
  fields.Add("harness", absl::StrCat(task.harness(), " ", task.version()));
  if (task.has_wire()) {
    fields.Add("wire", v1::LaunchOptions::Wire_Name(task.wire()));
  }
  fields.Add("model", task.model());
  std::string mode = v1::EditMode_Name(task.edit_mode());
  if (task.edit_mode() == v1::native && !task.permission_mode().empty()) {
    absl::StrAppend(&mode, " (", task.permission_mode(), ")");
  }
  fields.Add("edit mode", mode);
  fields.Add("folder", task.cwd());
  fields.Add("session", task.session_id());
  fields.Add("labels", LabelsText(task));
  fields.Add("parent", task.parent_id());
  if (!task.fork_of().empty()) {
    fields.Add("fork of",
               absl::StrCat(task.fork_of(), ", turn ", task.fork_turn()));
  }
  if (task.has_created_at()) {
    fields.Add("made", WhenText(task.created_at(), now));
  }
  if (task.has_ended_at()) fields.Add("ended", WhenText(task.ended_at(), now));
  fields.Add("turns", absl::StrCat(task.turns()));
  if (task.has_worked()) {
    fields.Add("worked",
               DurationText(absl::Seconds(task.worked().seconds()) +
                            absl::Nanoseconds(task.worked().nanos())));
  }
  fields.Add("queue", QueueText(task));
  fields.Add("spent", SpentText(task.usage()));
  fields.Add("exit", EndText(task));
  fields.Add("document", task.document_path());
  fields.Add("prompt", task.prompt());
  if (task.has_result()) AddResult(task.result(), &fields);
  // The task failed outside of a turn.
  if (task.hint() != task.result().hint()) fields.Add("hint", task.hint());
  const TaskState state = ToTaskState(task);
  const std::string respond = absl::StrCat("  troika respond ", task.id(), " ");
  for (const v1::Approval& shown : task.approvals()) {
    const auto& approval = state.approvals.at(shown.id());
    absl::StrAppend(&fields.text(), "\n", Describe(approval.request, options));
    if (approval.answered) {
      absl::StrAppend(&fields.text(), "  answered: ", approval.request.choice,
                      ", on its way to the agent\n");
      continue;
    }
    absl::StrAppend(&fields.text(), respond, SanitizedLine(shown.id()),
                    HowToDecide(approval.request), "\n");
  }
  for (const v1::Question& shown : task.questions()) {
    const auto& question = state.questions.at(shown.id());
    if (question.answered) continue;
    absl::StrAppend(
        &fields.text(), "\n",
        JoinRows(Timeline({.width = options.columns}).Rows(question.request)),
        respond, SanitizedLine(shown.id()));
    for (size_t i = 0; i < question.request.items.size(); ++i) {
      absl::StrAppend(&fields.text(), " --answer TEXT");
    }
    fields.text() += "\n";
  }
  return std::move(fields.text());
}

}  // namespace troika::cli
