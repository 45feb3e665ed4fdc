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
#include "absl/strings/strip.h"
#include "cli/approvals/respond.h"
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

std::string TokensOf(const v1::Usage& proto) {
  Usage usage;
  FieldsFromProto(proto, &usage);
  return TokensText(usage.total);
}

// Says what more can be said to the agent.
std::string AgentSentence(const v1::Task& task) {
  const std::string agent = AgentText(task);
  if (agent == "waits") return "waits for input";
  if (agent == "ended" && task.imported_from().empty()) {
    return "ended; troika send starts it again";
  }
  return agent;
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

std::string PolicyText(const v1::Task& task) {
  std::vector<std::string> lines;
  if (task.require_policy()) lines.push_back("required");
  for (const v1::PolicyFile& file : task.policy()) {
    lines.push_back(absl::StrCat(file.file(), " (", file.origin(), ")",
                                 file.error().empty() ? "" : ": ",
                                 file.error()));
  }
  return absl::StrJoin(lines, "\n");
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

// As of the notice that tells of a budget.
constexpr double kNearlyUsedUp = 0.8;

absl::Duration ToDuration(const google::protobuf::Duration& duration) {
  return absl::Seconds(duration.seconds()) +
         absl::Nanoseconds(duration.nanos());
}

enum class Amounts { kAll, kNearlyUsedUp };

// "80 of 100 tokens · 1 of 3 turns"; empty if there is no such budget.
std::string AmountsText(const v1::Task& task, Amounts which) {
  const v1::Budget& limits = task.budget().limits();
  const v1::Budget& used = task.budget().used();
  std::vector<std::string> parts;
  const auto add = [&](double share, std::string text) {
    if (which == Amounts::kAll || share >= kNearlyUsedUp) {
      parts.push_back(std::move(text));
    }
  };
  if (limits.has_cost_usd()) {
    add(used.cost_usd() / limits.cost_usd(),
        used.has_cost_usd()
            ? absl::StrFormat("$%.2f of $%.2f", used.cost_usd(),
                              limits.cost_usd())
            : absl::StrFormat("not known of $%.2f", limits.cost_usd()));
  }
  if (limits.has_tokens()) {
    add(static_cast<double>(used.tokens()) /
            static_cast<double>(limits.tokens()),
        absl::StrCat(used.tokens(), " of ", limits.tokens(), " tokens"));
  }
  if (limits.has_turns()) {
    add(static_cast<double>(used.turns()) / limits.turns(),
        absl::StrCat(used.turns(), " of ", limits.turns(), " turns"));
  }
  if (limits.has_time()) {
    add(absl::FDivDuration(ToDuration(used.time()), ToDuration(limits.time())),
        absl::StrCat(DurationText(ToDuration(used.time())), " of ",
                     DurationText(ToDuration(limits.time())),
                     " of working time"));
  }
  return absl::StrJoin(parts, " · ");
}

void AddBudget(const v1::Task& task, Fields* fields) {
  const v1::Budget& limits = task.budget().limits();
  std::string text = AmountsText(task, Amounts::kAll);
  if (text.empty()) return;
  if (task.budget().has_within_turn() &&
      (limits.has_cost_usd() || limits.has_tokens())) {
    absl::StrAppend(
        &text, "; the agent tells its ",
        !task.budget().within_turn() ? "usage at the end of a turn"
        : limits.has_cost_usd()
            ? "tokens within a turn, and its cost, if it tells one, at the end"
            : "tokens within a turn");
  }
  fields->Add("budget", text);
}

void AddResult(const v1::Result& proto, Fields* fields) {
  Result result;
  FieldsFromProto(proto, &result);
  for (const Denial& denial : result.denials) {
    fields->Add("denied",
                absl::StrCat(denial.tool_name, denial.by.empty() ? "" : " by ",
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

std::string CostOf(const v1::Usage& proto) {
  Usage usage;
  FieldsFromProto(proto, &usage);
  const std::string cost = CostText(usage.total_cost);
  return cost.empty() ? std::string(kUnknownCost) : cost;
}

std::string ModelText(absl::string_view model) {
  return model.empty() ? "(default)" : std::string(model);
}

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

std::string ActiveText(const v1::Task& task, absl::Time now) {
  const bool active = task.has_last_activity_at();
  if (!active && !task.has_created_at()) return "";
  return AgeText(now -
                 ToTime(active ? task.last_activity_at() : task.created_at()));
}

std::string FolderText(absl::string_view cwd, absl::string_view home,
                       size_t columns) {
  absl::string_view rest = cwd;
  const bool below = !home.empty() && absl::ConsumePrefix(&rest, home) &&
                     (rest.empty() || rest[0] == '/');
  return CutMiddleToWidth(SanitizedLine(below ? absl::StrCat("~", rest) : cwd),
                          columns);
}

std::string StateWord(const v1::Task& task) {
  if (task.state() == v1::Task::state_unspecified) return "unknown";
  const bool rests =
      task.state() >= v1::Task::idle && task.state() != v1::Task::cancelled;
  return rests && task.has_outcome() ? v1::Outcome_Name(task.outcome())
                                     : v1::Task::State_Name(task.state());
}

std::string StateText(const v1::Task& task) {
  std::string text = absl::StrReplaceAll(StateWord(task), {{"_", " "}});
  if (task.has_queue_position() && task.queue_position() > 0) {
    absl::StrAppend(&text, " (", task.queue_position(), ")");
  }
  return text;
}

std::string NearBudgetText(const v1::Task& task) {
  return AmountsText(task, Amounts::kNearlyUsedUp);
}

std::string AgentText(const v1::Task& task) {
  // Troika asks, and no turn runs.
  const bool asks_for_budget = std::any_of(
      task.approvals().begin(), task.approvals().end(),
      [](const auto& one) { return one.kind() == v1::Approval::budget; });
  switch (task.state()) {
    case v1::Task::starting:
    case v1::Task::running:
    case v1::Task::awaiting_approval:
    case v1::Task::awaiting_answer:
      if (!asks_for_budget) return "works";
      return task.budget().process_alive() ? "waits" : "ended";
    case v1::Task::idle:
      return "waits";
    case v1::Task::done:
    case v1::Task::failed:
    case v1::Task::interrupted:
      return "ended";
    default:
      return "";
  }
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
  fields.Add("agent", AgentSentence(task));
  fields.Add("trouble", task.trouble());
  fields.Add("harness", absl::StrCat(task.harness(), " ", task.version()));
  if (task.has_wire()) {
    fields.Add("wire", v1::LaunchOptions::Wire_Name(task.wire()));
  }
  fields.Add("model", ModelText(task.model()));
  std::string permissions = options.permissions.empty()
                                ? v1::EditMode_Name(task.edit_mode())
                                : options.permissions;
  if (!task.permission_mode().empty()) {
    absl::StrAppend(&permissions, "; the CLI says: ", task.permission_mode());
  }
  fields.Add("may", permissions);
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
    fields.Add("worked", DurationText(ToDuration(task.worked())));
  }
  fields.Add("queue", QueueText(task));
  fields.Add("tokens", TokensOf(task.usage()));
  fields.Add("cost", CostOf(task.usage()));
  AddBudget(task, &fields);
  fields.Add("exit", EndText(task));
  fields.Add("policy", PolicyText(task));
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
    const std::vector<std::string>& rules = approval.request.proposed_rules;
    if (rules.empty()) continue;
    absl::StrAppend(&fields.text(), "or allow it always, by a rule:\n",
                    ProposalsText(rules), respond, SanitizedLine(shown.id()),
                    " --always N\n");
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
