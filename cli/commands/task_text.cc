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
#include "cli/timeline/approval_text.h"
#include "cli/timeline/terminal_text.h"
#include "dto/proto_json.h"

namespace troika::cli {
namespace {

std::string WhenText(const google::protobuf::Timestamp& time, absl::Time now) {
  return absl::StrCat(absl::FormatTime("%Y-%m-%d %H:%M:%S", ToTime(time),
                                       absl::LocalTimeZone()),
                      ", ", AgeText(now - ToTime(time)), " ago");
}

std::string SpentText(const v1::Usage& usage) {
  const v1::TokenCounts& total = usage.total();
  std::vector<std::string> parts;
  const std::string tokens =
      TokensText({.input = total.input_tokens(),
                  .cached = total.cached_input_tokens(),
                  .cache_write = total.cache_write_input_tokens(),
                  .output = total.output_tokens(),
                  .reasoning = total.reasoning_output_tokens()});
  const std::string cost =
      CostText({.usd = usage.total_cost_usd(),
                .source = static_cast<CostSource>(usage.total_cost_source())});
  if (!tokens.empty()) parts.push_back(tokens);
  if (!cost.empty()) parts.push_back(cost);
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

void AddResult(const v1::Result& result, Fields* fields) {
  if (result.is_error()) fields->Add("error", result.error());
  fields->Add("hint", result.hint());
  fields->Add("answer", result.text());
}

// Adds any text whole, with its lines below each other.
void AddText(absl::string_view sign, absl::string_view text, std::string* out) {
  const std::string space(DisplayWidth(sign), ' ');
  const std::string sanitized = Sanitized(absl::StripAsciiWhitespace(text));
  bool first = true;
  for (const absl::string_view line : absl::StrSplit(sanitized, '\n')) {
    absl::StrAppend(out, std::exchange(first, false) ? sign : space, line,
                    "\n");
  }
}

void AddQuestion(const v1::Task& task, const v1::Question& question,
                 std::string* out) {
  for (const v1::Question::Item& item : question.items()) {
    absl::StrAppend(out, "\n");
    AddText("? ",
            absl::StrCat(Labelled(item.header(), item.text()),
                         item.multi_select() ? " (any of)" : ""),
            out);
    for (int i = 0; i < item.options_size(); ++i) {
      AddText(absl::StrCat("    ", i + 1, ". "), item.options(i), out);
    }
  }
  absl::StrAppend(out, "  troika respond ", task.id(), " ",
                  SanitizedLine(question.id()));
  for (int i = 0; i < question.items_size(); ++i) {
    absl::StrAppend(out, " --answer TEXT");
  }
  absl::StrAppend(out, "\n");
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
  std::string text =
      absl::StrReplaceAll(v1::Task::State_Name(task.state()), {{"_", " "}});
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
        api.GetExactEvent(task.id(), approval.event_id());
    if (!event.ok()) continue;
    const auto* asked = std::get_if<Approval>(&event->payload);
    if (asked != nullptr && asked->id == approval.id()) {
      inputs[approval.id()] = asked->input_json;
    }
  }
  return inputs;
}

std::string Describe(const v1::Approval& approval,
                     const DescribeOptions& options) {
  const auto exact = options.inputs.find(approval.id());
  const bool is_exact = exact != options.inputs.end();
  const ApprovalText text = DescribeApproval(
      approval.tool_name(), is_exact               ? exact->second
                            : approval.has_input() ? ToJson(approval.input())
                                                   : "");
  std::string out = absl::StrCat("? approval needed: ", text.tool, " (",
                                 SizeText(text), ")\n");
  if (!approval.reason().empty()) AddText("  ", approval.reason(), &out);
  for (const ApprovalRow& row : RowsOf(text, options.columns)) {
    absl::StrAppend(&out, row.text, "\n");
  }
  if (!is_exact) {
    absl::StrAppend(
        &out,
        "  ! the exact input can't be read: numbers may be rounded, "
        "and the order may differ\n");
  }
  return out;
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
  fields.Add("model", task.model());
  fields.Add("edit mode", v1::EditMode_Name(task.edit_mode()));
  fields.Add("folder", task.cwd());
  fields.Add("session", task.session_id());
  fields.Add("labels", LabelsText(task));
  fields.Add("parent", task.parent_id());
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
  fields.Add("spent", SpentText(task.usage()));
  fields.Add("exit", EndText(task));
  fields.Add("prompt", task.prompt());
  if (task.has_result()) AddResult(task.result(), &fields);
  // The task failed outside of a turn.
  if (task.hint() != task.result().hint()) fields.Add("hint", task.hint());
  for (const v1::Approval& approval : task.approvals()) {
    absl::StrAppend(&fields.text(), "\n", Describe(approval, options),
                    "  troika respond ", task.id(), " ",
                    SanitizedLine(approval.id()), " --allow, or --deny\n");
  }
  for (const v1::Question& question : task.questions()) {
    AddQuestion(task, question, &fields.text());
  }
  return std::move(fields.text());
}

}  // namespace troika::cli
