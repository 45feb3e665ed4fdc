#include "cli/task_text.h"

#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "cli/amounts.h"
#include "cli/terminal_text.h"
#include "cli/tool_label.h"
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

// Lines of "name   value"; those without a value are left out.
class Fields {
 public:
  void Add(absl::string_view name, absl::string_view value) {
    if (value.empty()) return;
    absl::string_view label = name;
    const std::string text = Harmless(value);
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
  if (task.has_signal()) return absl::StrCat("of signal ", task.signal());
  if (task.has_exit_code()) return absl::StrCat("code ", task.exit_code());
  return "";
}

void AddResult(const v1::Result& result, Fields* fields) {
  if (result.is_error()) fields->Add("error", result.error());
  fields->Add("hint", result.hint());
  fields->Add("answer", result.text());
}

void AddPending(const v1::Task& task, std::string* text) {
  for (const v1::Approval& one : task.approvals()) {
    Approval approval;
    approval.tool_name = one.tool_name();
    if (one.has_input()) approval.input_json = ToJson(one.input());
    const ToolLabel label = LabelOf(approval, task.cwd());
    absl::StrAppend(text, "\n? approval needed: ", label.name, "  ", label.what,
                    "\n");
    if (!one.reason().empty()) {
      absl::StrAppend(text, "  ", HarmlessLine(one.reason()), "\n");
    }
    absl::StrAppend(text, "  troika respond ", task.id(), " ",
                    HarmlessLine(one.id()), " --allow, or --deny\n");
  }
  for (const v1::Question& one : task.questions()) {
    for (const v1::Question::Item& item : one.items()) {
      absl::StrAppend(text, "\n? ",
                      HarmlessLine(Labelled(item.header(), item.text())),
                      item.multi_select() ? " (any of)" : "", "\n");
      for (int i = 0; i < item.options_size(); ++i) {
        absl::StrAppend(text, "    ", i + 1, ". ",
                        HarmlessLine(item.options(i)), "\n");
      }
    }
    absl::StrAppend(text, "  troika respond ", task.id(), " ",
                    HarmlessLine(one.id()));
    for (int i = 0; i < one.items_size(); ++i) {
      absl::StrAppend(text, " --answer TEXT");
    }
    absl::StrAppend(text, "\n");
  }
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
                      HarmlessLine(task.title()), "\n");
}

std::string Describe(const v1::Task& task, absl::Time now) {
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
  fields.Add("spent", SpentText(task.usage()));
  fields.Add("exit", EndText(task));
  fields.Add("prompt", task.prompt());
  if (task.has_result()) AddResult(task.result(), &fields);
  // Where the task failed outside of a turn.
  if (task.hint() != task.result().hint()) fields.Add("hint", task.hint());
  AddPending(task, &fields.text());
  return std::move(fields.text());
}

}  // namespace troika::cli
